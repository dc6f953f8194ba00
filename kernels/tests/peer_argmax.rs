//! The best of one, two and three peers on streams of one GPU, and its column brought to the
//! others. By rows of the column.

use passel_kernels::{
    counting::{AnchorSums, ColumnCodes},
    peer_argmax::{self, KERNEL, Mailbox, PeerArgs},
    score::{self, BestCandidate, Pick, ScoreArgs, ScoreRule},
};

use super::{TestGpu, arguments, gpu::Stream, score::score_args};

pub const SIZES: &[usize] = &[1, 4095, 4096, 4097, 100_000];

const CANDIDATES: usize = 300;

/// One peer: what its kernels take, and its candidates on the host.
struct Peer {
    score: ScoreArgs,
    found: u64,
    arrived: u64,
    pick: u64,
    places: u64,
    buffer: u64,
    codes: Vec<u8>,
    column: u64,
    gathered: Vec<i128>,
    numbers: Vec<u32>,
    sums: Vec<i64>,
}

impl Peer {
    /// Candidates that all have the same column, numbered every `step`-th from `first`.
    fn new(test: &mut TestGpu, n: usize, (first, step): (u32, u32)) -> Self {
        let numbers: Vec<u32> = (0..CANDIDATES as u32).map(|at| first + step * at).collect();
        // Equal scores, of one peer and of several.
        let gathered = (0..CANDIDATES).map(|_| test.below(50) as i128 - 60);
        let gathered: Vec<i128> = gathered.collect();
        let sums: Vec<i64> = (0..CANDIDATES)
            .map(|_| test.below(1 << 30) as i64)
            .collect();
        let codes = test.bytes(n.next_multiple_of(16), 200);
        let own: Vec<u32> = codes.iter().map(|code| u32::from(*code)).collect();
        let place = test.put_dense(&own, 200, 8);
        let mut places = vec![place; CANDIDATES];
        places.push(ColumnCodes::default());
        // The score is what was gathered.
        let rule = ScoreRule {
            join: 1,
            ..ScoreRule::default()
        };
        let score = score_args(test, rule, [&sums, &sums]);
        let score = ScoreArgs {
            numbers: test.put(&numbers),
            relevance: score.x,
            gathered: test.put(&gathered),
            levels: test.fill(200u32, CANDIDATES),
            steps_known: 1,
            rows: n as i64,
            by_class: 0,
            ..score
        };
        Self {
            score,
            found: test.fill(0u8, 3 * size_of::<BestCandidate>()),
            arrived: test.put(&[0u32]),
            pick: test.put(&[Pick::default()]),
            places: test.put(&places),
            buffer: test.fill(0u8, codes.len()),
            codes,
            column: place.address,
            gathered,
            numbers,
            sums,
        }
    }

    /// The best of its candidates that are not excluded.
    fn best(&self, excluded: &[bool]) -> Pick {
        let own = self.gathered.iter().zip(excluded);
        let scores: Vec<_> = own.map(|(score, out)| (!out).then_some(*score)).collect();
        let best = score::best(&scores, &self.numbers).unwrap();
        Pick {
            score: self.gathered[best],
            redundancy: 0,
            relevance: self.sums[best],
            x: self.sums[best],
            xy: self.sums[best],
            place: best as u32,
            number: self.numbers[best],
        }
    }
}

pub fn check(test: &mut TestGpu, n: usize) {
    // Made at once, so that each has a hardware queue of its own.
    let streams = [0, 1, 2].map(|_| test.side());
    for count in 1..=3 {
        check_peers(test, n, &streams[..count]);
    }
}

/// Launches both functions for each peer, on a stream of its own, so that they wait for one
/// another.
fn launch(test: &TestGpu, peers: &[(Peer, &Stream)], args: &PeerArgs, stop: u64) {
    for (at, (peer, stream)) in peers.iter().enumerate() {
        let args = PeerArgs {
            gpu: at as u32,
            stop,
            places: peer.places,
            anchor: peer.score.anchors,
            pick: peer.pick,
            ..*args
        };
        let given = arguments![peer.score, peer.found, peer.arrived, args];
        test.launch_on(stream, &KERNEL, "score_all_reduce", (3, 1), (256, 0), given);
        test.launch_on(
            stream,
            &KERNEL,
            "broadcast_column",
            (2, 1),
            (512, 0),
            arguments![args],
        );
    }
}

fn check_peers(test: &mut TestGpu, n: usize, streams: &[Stream]) {
    let count = streams.len();
    let mut args = PeerArgs {
        gpus: count as u32,
        // Long enough columns are brought.
        from: 2000,
        ..PeerArgs::default()
    };
    let mut peers = Vec::new();
    for (at, stream) in streams.iter().enumerate() {
        let peer = Peer::new(test, n, (at as u32, count as u32));
        args.mailboxes[at] = test.fill(0u8, size_of::<Mailbox>());
        args.column_buffers[at] = peer.buffer;
        peers.push((peer, stream));
    }
    // Functions are loaded when they are first launched, which must not be while others wait.
    let alone = PeerArgs { gpus: 0, ..args };
    assert!(test.with_stop(streams, |stop| launch(test, &peers, &alone, stop)));
    let mut excluded = vec![vec![false; CANDIDATES]; count];
    for sequence in 1..=4 {
        let args = PeerArgs { sequence, ..args };
        let met = test.with_stop(streams, |stop| launch(test, &peers, &args, stop));
        assert!(met, "{count} peers did not meet within 20 s");
        let bests = peers
            .iter()
            .zip(&excluded)
            .map(|((peer, _), out)| peer.best(out));
        let bests: Vec<Pick> = bests.collect();
        let winner = peer_argmax::reference(&bests).unwrap();
        let won = bests[winner];
        excluded[winner][won.place as usize] = true;
        let (first, _) = &peers[winner];
        let whole = ColumnCodes {
            length: 1,
            bits: 8,
            ..ColumnCodes::default()
        };
        let is_brought = peer_argmax::bytes(&whole, n) >= Some(2000);
        for (at, (peer, _)) in peers.iter().enumerate() {
            assert_eq!(test.get::<Pick>(peer.pick, 1), [won], "{count} peers");
            let anchor = AnchorSums {
                w: won.x,
                wy: won.xy,
                levels: 200,
                place: if at == winner {
                    won.place
                } else {
                    CANDIDATES as u32
                },
            };
            assert_eq!(test.get::<AnchorSums>(peer.score.anchors, 1), [anchor]);
            if at == winner {
                continue;
            }
            let place = test.get::<ColumnCodes>(peer.places, CANDIDATES + 1)[CANDIDATES];
            let expected = if is_brought {
                peer.buffer
            } else {
                first.column
            };
            assert_eq!((place.address, place.levels), (expected, 200));
            if is_brought {
                let brought = test.get::<u8>(peer.buffer, first.codes.len());
                assert!(brought == first.codes, "{n} rows, {count} peers");
            }
        }
    }
}
