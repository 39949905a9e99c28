//! The drivers over roots whose values are known.

use super::*;
use crate::value::{HIGHEST, INFINITY, MATE, MATE_BOUND, ceil_to_grain};

/// A root of moves with known values; fail-soft passes miss by up to `slack`.
struct Moves {
    values: Vec<Value>,
    slack: Value,
    windows: Vec<(Value, Value)>,
    chosen: Option<usize>,
}

impl Moves {
    fn new(values: &[Value], slack: Value) -> Moves {
        Moves { values: values.to_vec(), slack, windows: Vec::new(), chosen: None }
    }

    fn answer(&mut self, truth: Value, alpha: Value, beta: Value) -> Option<Value> {
        assert!(alpha < beta);
        assert!(self.windows.len() < 70_000, "it goes on for ever");
        self.windows.push((alpha, beta));
        Some(tree(truth, self.slack)(alpha, beta))
    }
}

impl Passes for Moves {
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value> {
        let truth = *self.values.iter().max().unwrap();
        self.answer(truth, alpha, beta)
    }

    fn count(&self) -> usize {
        self.values.len()
    }

    fn test(&mut self, place: usize, beta: Value) -> Option<Value> {
        self.answer(self.values[place], beta - 1, beta)
    }

    fn choose(&mut self, place: usize) {
        self.chosen = Some(place);
    }
}

/// A fail-soft pass over a tree of value `truth` that misses by up to `slack`.
fn tree(truth: Value, slack: Value) -> impl Fn(Value, Value) -> Value {
    move |alpha, beta| {
        if truth >= beta {
            beta.max(truth - slack)
        } else if truth <= alpha {
            alpha.min(truth + slack)
        } else {
            truth
        }
    }
}

const GUESS: Guess = Guess::Zero;

fn convergences() -> impl Iterator<Item = Convergence> {
    let ends = [(10, false), (10, true), (1, true), (300, false)];
    ends.into_iter().flat_map(|(step, above)| Convergence::choices(step, above)).map(|(_, one)| one)
}

/// A convergence as it is, and with each choice of first window and ending.
fn closings(convergence: Convergence) -> [Closing; 3] {
    let plain = Closing::by(convergence);
    let below = Closing { below: 7, reopen: true, ..plain };
    let loose = Closing { below: -40, tolerance: 16, reported: Reported::Middle, ..plain };
    [plain, below, loose]
}

/// All drivers that find a value, with each choice.
fn finders() -> Vec<Driver> {
    let mut all = vec![
        Driver::Minimax,
        Driver::AlphaBeta,
        Driver::NegaScout,
        Driver::Pvs { window: 0, below: 0 },
        Driver::Pvs { window: 1, below: 0 },
        Driver::Pvs { window: 25, below: 0 },
        Driver::Pvs { window: 25, below: 60 },
        Driver::Sss,
        Driver::Dual,
        Driver::MtdBi,
        Driver::MtdStep { stride: 1 },
        Driver::MtdStep { stride: 60 },
    ];
    for convergence in convergences() {
        for closing in closings(convergence) {
            for max_passes in [0, 1, 2, 5] {
                all.push(Driver::Mtdf { guess: GUESS, closing, max_passes });
            }
            for (null_passes, cap) in [(1, 0), (2, 0), (5, 0), (1, 20), (2, 1), (2, 300)] {
                all.push(Driver::Hybrid { guess: GUESS, closing, null_passes, cap });
            }
        }
    }
    all
}

fn start(guess: Value, grain: Value) -> Start {
    Start { first_guess: Some(guess), previous: Some(guess), grain, exact: true }
}

#[test]
fn every_driver_finds_the_value_from_every_guess() {
    for truth in [1 - MATE, -300, -1, 0, 1, 26, 5_000, MATE - 3] {
        for guess in [-MATE, -301, 0, 1, 25, MATE] {
            for slack in [0, 40, INFINITY] {
                for driver in finders() {
                    let mut root = Moves::new(&[truth, truth - 7], slack);
                    let found = driver.iterate(start(guess, 1), &mut root);
                    assert_eq!(found, Some(truth), "{driver:?} from {guess}, slack {slack}");
                }
            }
        }
    }
}

#[test]
fn windows_are_multiples_of_the_grain() {
    for truth in [-400, 0, 10, 730] {
        for driver in finders() {
            let mut windows = Vec::new();
            let mut root = Inconsistent(|alpha, beta| {
                windows.push((alpha, beta));
                if truth >= beta {
                    ceil_to_grain(beta, 10)
                } else if truth <= alpha {
                    ceil_to_grain(alpha - 9, 10)
                } else {
                    truth
                }
            });
            assert_eq!(driver.iterate(start(20, 10), &mut root), Some(truth), "{driver:?}");
            let on_grain = match driver {
                Driver::Mtdf { closing, .. } => {
                    !matches!(closing.convergence, Convergence::Plaat | Convergence::Growth)
                }
                Driver::MtdBi | Driver::MtdStep { .. } => true,
                _ => false,
            };
            let null = windows.iter().filter(|(alpha, beta)| alpha + 1 == *beta);
            for (_, beta) in null {
                assert!(!on_grain || beta % 10 == 0, "{driver:?} {beta}");
            }
        }
    }
}

#[test]
fn proof_gives_a_best_move_and_its_lower_bound() {
    let roots: [&[Value]; 7] = [
        &[5],
        &[-31_990],
        &[3, 9, 9, -4],
        &[0, 0, 0],
        &[-700, -640, -640, -900, -639],
        &[10, 400, 30, 31_990, 20],
        &[-31_980, -31_990, -31_970],
    ];
    for values in roots {
        for guess in [-31_980, -500, 0, 9, 10, 400, 31_990] {
            for slack in [0, 3, INFINITY] {
                for driver in [Driver::MtdBest { guess: GUESS }, Driver::Bns { guess: GUESS }] {
                    for grain in [1, 10] {
                        let mut root = Moves::new(values, slack);
                        let bound = driver.iterate(start(guess, grain), &mut root).unwrap();
                        let best = *values.iter().max().unwrap();
                        let name = format!("{driver:?} {values:?} from {guess}, {slack}");
                        assert_eq!(values[root.chosen.unwrap()], best, "{name}");
                        assert!(bound <= best, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn best_node_search_separates_by_the_number_of_better_moves() {
    let betas = |values: &[Value]| {
        let mut root = Moves::new(values, 0);
        bns(0, 1, &mut root);
        (root.chosen, root.windows.into_iter().map(|window| window.1).collect::<Vec<_>>())
    };
    // Only one move reaches 0: the proof is done.
    assert_eq!(betas(&[-5, 7, -9]), (Some(1), vec![0, 0, 0]));
    // None does; their bounds leave -3 as the upper end, and -3 separates them.
    assert_eq!(betas(&[-5, -3, -9]), (Some(1), vec![0, 0, 0, -3]));
    // A tie is found by closing the interval: all reach 0, two of them at least 8, none 9.
    assert_eq!(betas(&[8, 1, 8]), (Some(0), vec![0, 0, 0, 9, 9, 9]));
}

#[test]
fn other_moves_are_disproved_once_one_reaches_the_guess() {
    let mut root = Moves::new(&[40, 60, 20, 60], 0);
    assert_eq!(mtd_best(10, 1, &mut root), Some(60));
    assert_eq!(root.chosen, Some(1));
    let betas: Vec<Value> = root.windows.iter().map(|window| window.1).collect();
    assert_eq!(betas, [10, 41, 61, 61, 61]);
}

#[test]
fn mtdf_takes_two_null_window_passes_from_the_value() {
    for truth in [1 - MATE, -17, 0, 250, MATE - 1] {
        for guess in [truth, truth + 1] {
            let mut passes = 0;
            let tree = tree(truth, 0);
            let found = mtdf(
                start(guess, 1),
                Closing::by(Convergence::Plaat),
                0,
                |alpha: Value, beta: Value| {
                    assert_eq!(beta, alpha + 1);
                    passes += 1;
                    Some(tree(alpha, beta))
                },
            );
            assert_eq!((found, passes), (Some(truth), 2));
        }
    }
}

/// The windows over a tree whose passes only tell whether they failed.
fn hard(driver: Driver, truth: Value, guess: Value) -> Vec<(Value, Value)> {
    let mut root = Moves::new(&[truth], INFINITY);
    assert_eq!(driver.iterate(start(guess, 1), &mut root), Some(truth));
    root.windows
}

fn betas(convergence: Convergence, truth: Value, guess: Value) -> Vec<Value> {
    let driver = Driver::Mtdf { guess: GUESS, closing: Closing::by(convergence), max_passes: 0 };
    hard(driver, truth, guess).into_iter().map(|(_, beta)| beta).collect()
}

#[test]
fn each_convergence_takes_its_own_steps() {
    assert_eq!(betas(Convergence::Plaat, 3, 0), [0, 1, 2, 3, 4]);
    // Steps of 1, 2 and 4 up to 7, which fails low; back by 2, and up again by 1.
    assert_eq!(betas(Convergence::Growth, 6, 0), [0, 1, 3, 7, 5, 6]);
    assert_eq!(betas(Convergence::Step { step: 4 }, 6, 0), [0, 4, 8, 5, 7, 6]);
    let side = |above| Convergence::OneSide { step: 4, above };
    assert_eq!(betas(side(true), 6, 0), [0, 4, 12, 11, 10, 9, 8, 7, 6]);
    assert_eq!(betas(side(false), 6, 0), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(betas(side(false), -6, 0), [0, -4, -12, -11, -10, -9, -8, -7, -6, -5]);
    assert_eq!(betas(Convergence::Bisect { step: 8 }, 6, 0), [0, 8, 4, 6, 7]);
    // Without a line through two passes: as growth.
    assert_eq!(betas(Convergence::Secant, 6, 0), [0, 1, 3, 7, 5, 6]);
}

#[test]
fn secant_extrapolates_from_two_passes() {
    let mut betas = Vec::new();
    // A pass returns the middle between its window and the value.
    let found =
        mtdf(start(0, 1), Closing::by(Convergence::Secant), 0, |alpha: Value, beta: Value| {
            betas.push(beta);
            Some(if beta <= 800 { (beta + 801) / 2 } else { (alpha + 800) / 2 })
        });
    // 0 returns 400, 401 returns 601: the line through (0, 401) and (401, 201) meets 0 at 804.
    assert_eq!(found, Some(800));
    assert_eq!(betas[..3], [0, 401, 804]);
    assert!(betas.len() < 8, "{betas:?}");
}

#[test]
fn cap_limits_null_window_passes() {
    let convergence = Convergence::Plaat;
    let mtdf = Driver::Mtdf { guess: GUESS, closing: Closing::by(convergence), max_passes: 3 };
    assert_eq!(hard(mtdf, 9, 0), [(-1, 0), (0, 1), (1, 2), (2, INFINITY)]);
    assert_eq!(hard(mtdf, 1, 0), [(-1, 0), (0, 1), (1, 2)]);
    let step = Convergence::Step { step: 20 };
    let hybrid = |null_passes| Driver::Hybrid {
        guess: GUESS,
        closing: Closing::by(step),
        null_passes,
        cap: 0,
    };
    assert_eq!(hard(hybrid(1), 9, 0), [(-1, 0), (0, INFINITY)]);
    assert_eq!(hard(hybrid(5), 9, 0), [(-1, 0), (19, 20), (0, 19)]);
}

#[test]
fn open_side_spans_the_cap_and_four_times_it_after_failing() {
    let closing = Closing::by(Convergence::Plaat);
    let hybrid = Driver::Hybrid { guess: GUESS, closing, null_passes: 1, cap: 20 };
    assert_eq!(hard(hybrid, 90, 0), [(-1, 0), (0, 20), (20, 100)]);
    assert_eq!(hard(hybrid, -90, 0), [(-1, 0), (-21, -1), (-101, -21)]);
    let far = hard(hybrid, 9_000, 0);
    assert_eq!(far[1..], [(0, 20), (20, 100), (100, 420), (420, INFINITY)]);
}

#[test]
fn first_window_lies_below_the_guess_by_the_parameter() {
    let closing = Closing { below: 6, ..Closing::by(Convergence::Plaat) };
    for driver in [
        Driver::Mtdf { guess: GUESS, closing, max_passes: 0 },
        Driver::Hybrid { guess: GUESS, closing, null_passes: 1, cap: 0 },
    ] {
        assert_eq!(hard(driver, 30, 50)[0], (43, 44), "{driver:?}");
    }
    let mut windows = Vec::new();
    pvs(25, 6, Some(50), |alpha, beta| {
        windows.push((alpha, beta));
        Some(alpha + 1)
    });
    assert_eq!(windows, [(19, 69)]);
}

/// The start of an iteration in a game.
fn in_a_game(guess: Value) -> Start {
    Start { exact: false, ..start(guess, 1) }
}

#[test]
fn selective_iteration_ends_within_the_tolerance() {
    let by = |reported| Closing {
        tolerance: 16,
        reported,
        ..Closing::by(Convergence::Step { step: 10 })
    };
    // From 0 the value 25 is found to lie in 20..29, from 27 in 17..26: the reported values.
    let told =
        [(Reported::Lower, 20, 17), (Reported::Middle, 24, 21), (Reported::Estimate, 20, 26)];
    for (reported, from_0, from_27) in told {
        let driver = Driver::Mtdf { guess: GUESS, closing: by(reported), max_passes: 0 };
        for (guess, betas, value) in [(0, vec![0, 10, 20, 30], from_0), (27, vec![27, 17], from_27)]
        {
            let mut root = Moves::new(&[25], INFINITY);
            let found = driver.iterate(in_a_game(guess), &mut root);
            let windows: Vec<Value> = root.windows.iter().map(|window| window.1).collect();
            assert_eq!((found, windows), (Some(value), betas), "{reported:?} from {guess}");
        }
    }
    for truth in [-400, -3, 0, 1, 64, 999, MATE - 5, 5 - MATE] {
        for convergence in convergences() {
            let mut root = Moves::new(&[truth], 12);
            let closing = Closing { convergence, ..by(Reported::Middle) };
            let driver = Driver::Mtdf { guess: GUESS, closing, max_passes: 0 };
            let found = driver.iterate(in_a_game(40), &mut root).unwrap();
            let far = (found - truth).abs();
            assert!(far <= 8 && (far == 0 || truth.abs() < MATE_BOUND), "{truth} {found}");
        }
    }
}

#[test]
fn contradicted_bound_is_reopened_at_most_twice() {
    let convergence = Convergence::Plaat;
    let closing = Closing { reopen: true, ..Closing::by(convergence) };
    let driver = Driver::Mtdf { guess: GUESS, closing, max_passes: 0 };
    // It fails high with 5, then low with 3; searched again, its value is 3.
    let mut betas = Vec::new();
    let mut root = Inconsistent(|_, beta| {
        betas.push(beta);
        if betas.len() == 1 { 5 } else { 3 }
    });
    assert_eq!(driver.iterate(in_a_game(0), &mut root), Some(3));
    assert_eq!(betas, [0, 6, 3]);
    // Endless contradictions still end.
    let mut passes = 0;
    let mut root = Inconsistent(|_, beta| {
        passes += 1;
        if passes % 2 == 1 { beta + 5 } else { beta - 9 }
    });
    assert!(driver.iterate(in_a_game(0), &mut root).is_some());
    assert!(passes <= 8, "{passes}");
}

#[test]
fn sss_starts_above_and_dual_below() {
    let windows = |driver| {
        let mut root = Moves::new(&[4], 0);
        Driver::iterate(driver, start(0, 1), &mut root);
        root.windows
    };
    assert_eq!(windows(Driver::Sss), [(HIGHEST - 1, HIGHEST), (3, 4)]);
    assert_eq!(windows(Driver::Dual), [(-HIGHEST, 1 - HIGHEST), (4, 5)]);
    assert_eq!(windows(Driver::MtdStep { stride: 9 })[..2], [(31_999, 32_000), (-6, -5)]);
    assert_eq!(hard(Driver::MtdBi, 4, 0)[..3], [(-1, 0), (15_999, 16_000), (7_999, 8_000)]);
}

/// A selective search may contradict itself. The newer bound then ends the iteration.
#[test]
fn crossing_ends_every_driver() {
    let mut state = 7_u64;
    for driver in finders().into_iter().filter(|driver| !matches!(driver, Driver::Pvs { .. })) {
        for _ in 0..200 {
            let mut passes = 0;
            let mut last = 0;
            let mut root = Inconsistent(|alpha: Value, beta: Value| {
                passes += 1;
                assert!(passes < 70_000, "{driver:?} goes on for ever");
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let high = state >> 63 == 1;
                last = if high { beta } else { alpha };
                last
            });
            let found = driver.iterate(start(0, 1), &mut root);
            assert_eq!(found, Some(last), "{driver:?}");
        }
    }
    for driver in [Driver::MtdBest { guess: GUESS }, Driver::Bns { guess: GUESS }] {
        for _ in 0..200 {
            let mut root = Inconsistent(|alpha: Value, beta: Value| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if state >> 63 == 1 && beta < 1_000 || beta < -1_000 { beta } else { alpha }
            });
            assert!(driver.iterate(start(0, 1), &mut root).is_some(), "{driver:?}");
        }
    }
}

/// A root that answers by a function, without regard to earlier answers.
struct Inconsistent<F>(F);

impl<F: FnMut(Value, Value) -> Value> Passes for Inconsistent<F> {
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value> {
        Some((self.0)(alpha, beta))
    }

    fn count(&self) -> usize {
        4
    }

    fn test(&mut self, _: usize, beta: Value) -> Option<Value> {
        self.pass(beta - 1, beta)
    }

    fn choose(&mut self, _: usize) {}
}

/// The mutant for the test above: it waits until the bounds are equal.
#[test]
fn unhandled_crossing_never_ends() {
    let waits = |mut pass: Box<dyn FnMut(Value) -> Value>| {
        let (mut lower, mut upper, mut beta) = (-INFINITY, INFINITY, 0);
        for passes in 1..1_000 {
            let g = pass(beta);
            if g >= beta {
                lower = g;
            } else {
                upper = g;
            }
            if lower == upper {
                return passes;
            }
            beta = if g == lower { g + 1 } else { g };
        }
        1_000
    };
    assert_eq!(waits(Box::new(|beta| if beta <= 5 { 5 } else { 5.min(beta - 1) })), 2);
    // It fails high with 5, and at 6 low with 3.
    let contradicts = |beta| if beta <= 5 { 5 } else { 3 };
    assert_eq!(waits(Box::new(contradicts)), 1_000);
    let mut passes = 0;
    let handled = mtdf(start(0, 1), Closing::by(Convergence::Plaat), 0, |_: Value, beta: Value| {
        passes += 1;
        Some(contradicts(beta))
    });
    assert_eq!((handled, passes), (Some(3), 2));
}

#[test]
fn aspiration_opens_only_the_side_that_failed() {
    let mut windows = Vec::new();
    let tree = tree(90, 0);
    pvs(25, 0, Some(0), |alpha, beta| {
        windows.push((alpha, beta));
        Some(tree(alpha, beta))
    });
    assert_eq!(windows, [(-25, 25), (-25, 100)]);
}

#[test]
fn stopped_pass_stops_the_driver() {
    /// Stops after this number of answers.
    struct Stops(u32);

    impl Passes for Stops {
        fn pass(&mut self, _: Value, beta: Value) -> Option<Value> {
            self.0 = self.0.checked_sub(1)?;
            Some(beta)
        }

        fn count(&self) -> usize {
            3
        }

        fn test(&mut self, _: usize, beta: Value) -> Option<Value> {
            self.pass(beta - 1, beta)
        }

        fn choose(&mut self, _: usize) {
            panic!("nothing was proved");
        }
    }
    let proofs = [Driver::MtdBest { guess: GUESS }, Driver::Bns { guess: GUESS }];
    for driver in finders().into_iter().chain(proofs) {
        assert_eq!(driver.iterate(start(3, 1), &mut Stops(0)), None, "{driver:?}");
    }
    for driver in proofs.into_iter().chain([Driver::Mtdf {
        guess: GUESS,
        closing: Closing::by(Convergence::Plaat),
        max_passes: 0,
    }]) {
        let mut root = Stops(2);
        assert_eq!((driver.iterate(start(3, 1), &mut root), root.0), (None, 0), "{driver:?}");
    }
}
