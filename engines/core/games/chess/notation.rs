//! Text in and out: FEN and UCI moves.

use cozy_chess::{Color, FenParseError, File, Piece, Rank, Square};

use super::{Board, Evaluation, Position};
use crate::game::Move;

/// Reads a FEN of standard chess. The two clocks may be missing.
///
/// # Errors One line about the problem.
pub fn position_from_fen(fen: &str, evaluation: &Evaluation) -> Result<Position, String> {
    let fields = fields_of(fen)?;
    match Board::from_fen(&fields.join(" "), false) {
        Err(FenParseError::InvalidCastlingRights) => Err(refusal(fen, NOT_STANDARD)),
        Err(error) => Err(refused_by_generator(fen, error)),
        Ok(board) if !castles_as_in_chess(&board) => Err(refusal(fen, NOT_STANDARD)),
        Ok(board) => Ok(Position::new(board, evaluation)),
    }
}

/// Reads a FEN of Chess960, with castling rights as in X-FEN or Shredder-FEN: `K` and `Q` are the
/// outermost rooks, other letters are the rooks' files. Moves then have the codes of Chess960.
///
/// # Errors One line about the problem.
pub fn chess960_position_from_fen(fen: &str, evaluation: &Evaluation) -> Result<Position, String> {
    let mut fields = fields_of(fen)?;
    let rights = std::mem::replace(&mut fields[2], "-".to_owned());
    let parse = |fields: &[String]| {
        Board::from_fen(&fields.join(" "), true).map_err(|error| refused_by_generator(fen, error))
    };
    let files = rights_by_file(&parse(&fields)?, &rights);
    fields[2] = files.ok_or_else(|| refusal(fen, "the castling rights are invalid"))?;
    Ok(Position::new_chess960(parse(&fields)?, evaluation))
}

/// Castling rights with each rook named by its file; `None` for a right without a rook.
fn rights_by_file(board: &Board, rights: &str) -> Option<String> {
    if rights == "-" {
        return Some(rights.to_owned());
    }
    let by_file = |right: char| {
        let color = if right.is_ascii_uppercase() { Color::White } else { Color::Black };
        let home = Rank::First.relative_to(color).bitboard();
        let king = board.king(color).file();
        let rooks = board.colored_pieces(color, Piece::Rook) & home;
        let mut files = rooks.iter().map(Square::file);
        let file = match right.to_ascii_lowercase() {
            'k' => files.filter(|&file| file > king).last()?,
            'q' => files.find(|&file| file < king)?,
            letter => File::ALL.into_iter().find(|&file| char::from(file) == letter)?,
        };
        let letter = char::from(file);
        Some(if color == Color::White { letter.to_ascii_uppercase() } else { letter })
    };
    rights.chars().map(by_file).collect()
}

const NOT_STANDARD: &str = "the castling rights are not those of standard chess";

fn refusal(fen: &str, reason: &str) -> String {
    format!("`{fen}` is not a legal chess position: {reason}")
}

fn refused_by_generator(fen: &str, error: FenParseError) -> String {
    refusal(fen, error.to_string().to_lowercase().trim_end_matches('.'))
}

/// The six fields of a FEN, with clocks that the move generator accepts.
fn fields_of(fen: &str) -> Result<Vec<String>, String> {
    let mut fields: Vec<String> = fen.split_whitespace().map(str::to_owned).collect();
    match fields.len() {
        4 => fields.extend(["0".to_owned(), "1".to_owned()]),
        6 => {}
        found => {
            return Err(refusal(fen, &format!("a FEN has six fields, this one has {found}")));
        }
    }
    // The move generator accepts clocks up to 100 and move numbers from 1.
    match (fields[4].parse::<u32>(), fields[5].parse::<u32>()) {
        (Ok(clock), Ok(number)) => {
            fields[4] = clock.min(100).to_string();
            fields[5] = number.clamp(1, u32::from(u16::MAX)).to_string();
        }
        _ => return Err(refusal(fen, "the clocks must be numbers")),
    }
    Ok(fields)
}

/// In standard chess the king castles from the e file with rooks in the corners.
fn castles_as_in_chess(board: &Board) -> bool {
    Color::ALL.iter().all(|&color| {
        let rights = board.castle_rights(color);
        let home = Square::new(File::E, Rank::First.relative_to(color));
        (rights.short.is_none() && rights.long.is_none()) || board.king(color) == home
    })
}

/// The code of a move in UCI notation; `None` if the text is not a move.
pub fn move_from_uci(text: &str) -> Option<Move> {
    let bytes = text.as_bytes();
    let square = |file: u8, rank: u8| {
        let on_board = (b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank);
        on_board.then(|| u16::from(file - b'a') + 8 * u16::from(rank - b'1'))
    };
    let promotion = match bytes {
        [_, _, _, _] => 0,
        [_, _, _, _, letter] => 2 + b"nbrq".iter().position(|known| known == letter)? as u16,
        _ => return None,
    };
    Some(Move(square(bytes[0], bytes[1])? | square(bytes[2], bytes[3])? << 6 | promotion << 12))
}

/// A move in UCI notation; castling as coded.
pub fn move_to_uci(mv: Move) -> String {
    let square = |index: u16| {
        let (file, rank) = (b'a' + (index % 8) as u8, b'1' + (index / 8) as u8);
        [char::from(file), char::from(rank)]
    };
    let mut text: String = square(mv.0 & 63).iter().chain(&square(mv.0 >> 6 & 63)).collect();
    if let 2..=5 = mv.0 >> 12 {
        text.push(char::from(b"nbrq"[usize::from(mv.0 >> 12) - 2]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(fen: &str) -> String {
        position_from_fen(fen, Evaluation::pst()).expect_err("an error")
    }

    #[test]
    fn moves_survive_the_round_trip() {
        for text in ["e2e4", "e1g1", "a7a8q", "h2h1n", "b7c8r", "a1h8"] {
            assert_eq!(move_to_uci(move_from_uci(text).unwrap()), text);
        }
        for text in ["", "e2", "e2e9", "i2e4", "e7e8k", "e7e8qq", "0000"] {
            assert_eq!(move_from_uci(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_may_be_missing_or_large() {
        let fen = "8/8/8/8/8/k7/8/K6R w - -";
        assert_eq!(position_from_fen(fen, Evaluation::pst()).unwrap().board().halfmove_clock(), 0);
        let fen = "8/8/8/8/8/k7/8/K6R w - - 140 0";
        assert_eq!(
            position_from_fen(fen, Evaluation::pst()).unwrap().board().halfmove_clock(),
            100
        );
    }

    #[test]
    fn castling_rights_of_chess960_are_read_in_both_spellings() {
        let pst = Evaluation::pst();
        for (rights, told) in [("KQ", "GB"), ("GB", "GB"), ("FB", "FB"), ("K", "G"), ("-", "-")] {
            let fen = format!("4k3/8/8/8/8/8/8/1R1K1RR1 w {rights} - 0 1");
            let position = chess960_position_from_fen(&fen, pst).unwrap();
            assert_eq!(position.fen().split(' ').nth(2), Some(told), "{rights}");
            assert!(rights == "-" || position_from_fen(&fen, pst).is_err());
        }
        for rights in ["Q", "A", "GF", "X", "g", "KK"] {
            let fen = format!("4k3/8/8/8/8/8/8/3K1RR1 w {rights} - 0 1");
            let text = chess960_position_from_fen(&fen, pst).expect_err("an error");
            assert!(text.contains(&fen) && text.contains("castling") && !text.contains('\n'));
        }
    }

    #[test]
    fn errors_are_one_line_and_name_the_fen() {
        for fen in [
            "",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "8/8/8/8/8/k7/8/K6R w - - x 1",
            "k7/8/8/8/8/8/8/K6r b KQ - 0 1",
            "k7/8/8/8/8/8/8/R2K4 w Q - 0 1",
            "8/8/8/8/8/k7/8/K6R w - - 0 1 more",
        ] {
            let text = error(fen);
            assert!(text.contains(fen) && !text.contains('\n'), "{text}");
        }
    }
}
