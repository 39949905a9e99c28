//! The weights of an evaluation, from the data file.

use serde_json::Value as Json;

/// The stages of a game, as the data file calls them.
pub(super) const STAGES: [&str; 3] = ["opening", "middle", "ending"];

/// Declares the weights once: their fields and how they are read and blended.
macro_rules! weights {
    (
        tables { $($(#[$table_doc:meta])* $table:ident: $table_len:expr,)* }
        terms { $($(#[$doc:meta])* $name:ident: $len:expr,)* }
    ) => {
        /// The weights of squares and terms in one stage, or interpolated.
        pub(super) struct Weights {
            $($(#[$table_doc])* pub(super) $table: [i32; $table_len],)*
            $($(#[$doc])* pub(super) $name: [i32; $len],)*
        }

        impl Weights {
            /// The weights of an evaluation in one stage; those without terms have zeros.
            pub(super) fn from_json(json: &Json, stage: &str) -> Result<Weights, String> {
                let terms = &json["terms"];
                let known = [$(stringify!($name)),*];
                let mut found = terms.as_object().into_iter().flatten();
                if let Some((name, _)) = found.find(|(name, _)| !known.contains(&name.as_str())) {
                    return Err(format!("unknown term `{name}`"));
                }
                Ok(Weights {
                    $($table: numbers(&json[stringify!($table)][stage])
                        .map_err(|error| format!("{}: {error}", stringify!($table)))?,)*
                    $($name: if terms.is_null() { [0; $len] } else {
                        numbers(&terms[stringify!($name)][stage])
                            .map_err(|error| format!("{}: {error}", stringify!($name)))?
                    },)*
                })
            }

            /// The sum of the stages, each times its share.
            pub(super) fn blend(stages: &[Weights], shares: [i32; STAGES.len()]) -> Weights {
                let parts = || stages.iter().zip(shares);
                Weights {
                    $($table: std::array::from_fn(|i| parts().map(|(s, n)| n * s.$table[i]).sum()),)*
                    $($name: std::array::from_fn(|i| parts().map(|(s, n)| n * s.$name[i]).sum()),)*
                }
            }
        }
    };
}

weights! {
    tables {
        /// A man by its square, White's view.
        man: 32,
        king: 32,
    }
    terms {
        /// By the men on the back rank, as bits: 29 counts 1, 30 counts 2, 31 4, 32 8.
        back_rank: 16,
        /// By the number of men and kings on the eight squares in the middle.
        centre: 9,
        /// By the difference between the left and the right half.
        tilt: 7,
        /// By the rows that a man has to go if no enemy can stop it.
        runaway: 7,
        /// By the surplus of pieces, from one.
        ahead: 4,
        /// By the number of pieces that could capture if it were their turn.
        threats: 4,
        /// Each own piece diagonally behind a man.
        backed: 1,
        /// Each step that men can make.
        steps: 1,
        /// Each of them after which the man cannot be captured at once.
        safe_steps: 1,
        /// Each man without a step.
        stuck_men: 1,
        /// Each step that kings can make.
        king_steps: 1,
        /// Each king without a step.
        stuck_kings: 1,
        /// Kings if the enemy has none.
        sole_kings: 1,
        /// Each king of the weaker side on the four squares of the double corners.
        refuge: 1,
        /// Each diagonal step from a king of the stronger side to the nearest enemy.
        far_kings: 1,
        /// Equal numbers of pieces, and this side has the move (the opposition).
        opposition: 1,
        /// Being to move.
        turn: 1,
    }
}

/// A number of the data file.
pub(super) fn number(json: &Json) -> Result<i32, String> {
    let number = json.as_i64().and_then(|number| i32::try_from(number).ok());
    number.ok_or_else(|| format!("`{json}` is not a number"))
}

fn numbers<const N: usize>(json: &Json) -> Result<[i32; N], String> {
    let list = json.as_array().ok_or_else(|| format!("`{json}` is not a list"))?;
    let numbers = list.iter().map(number).collect::<Result<Vec<i32>, String>>()?;
    numbers.try_into().map_err(|list: Vec<i32>| format!("{} numbers instead of {N}", list.len()))
}
