// Cards that walk together: each tells the others its best, all take the best of all, and a long
// column of one card is brought to the others, each of which fetches a part.

#define CARDS 16

// What a card tells of its best.
struct Letter {
    Pick pick;
    Place place;                // where that column lies
    u64 sequence;               // of the meeting, written last
};

// What lies on each card, where all of them write.
struct Post {
    Letter letters[2][CARDS];   // of even and odd meetings, by card
    u64 parts[CARDS];           // the last meeting of which a card has brought its part
    Pick found;                 // the card's own best
    u64 from;                   // the column that is to be brought, and its bytes: 0 for none
    u64 bytes;
    unsigned winner;            // whose it is
    unsigned left;              // not 0 once the card has left: it tells nothing any more
    unsigned arrived;           // 0 before and after
};

struct Meet {
    Post* posts[CARDS];
    unsigned char* guests[CARDS]; // room for a long column
    unsigned cards;             // 0: nothing is done
    unsigned card;              // this one
    u64 sequence;               // above those of all meetings before
    const unsigned* stop;       // of the host: whoever waits is to leave where it is not 0
    Place* places;              // and one more, for a column of another card
    unsigned char* taken;
    Anchor* anchor;             // becomes the best
    Pick* told;                 // null where the host does not look
    i64 rows;
    u64 from;                   // bytes of a column that is brought, at least
    unsigned count;             // places
};

static_assert(sizeof(Letter) == 112 && sizeof(Post) == 3808 && sizeof(Meet) == 336, "drift");

// Looks of one that waits, between two at what the host says: that lies far away.
#define LOOKS 1024u
#define NANOSECONDS 40u

// Whatever its writer wrote before can be read after.
__device__ __forceinline__ u64 seen(const u64* word)
{
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

__device__ __forceinline__ void show(u64* word, u64 value)
{
    __threadfence_system();
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ __forceinline__ bool raised(const unsigned* stop)
{
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(stop) : "memory");
    return value != 0;
}

// Waits until the words of all lanes tell a meeting, null where a lane has none; false where it
// was to leave. One warp comes here.
__device__ __forceinline__ bool all_tell(const u64* word, const Meet& given)
{
    const unsigned all = 0xffffffffu;
    bool here = word == nullptr;
    for (unsigned looks = 1;; looks++) {
        here = here || seen(word) == given.sequence;
        if (__all_sync(all, here)) {
            return true;
        }
        if (looks % LOOKS == 0 && __any_sync(all, raised(given.stop))) {
            return false;
        }
        __nanosleep(NANOSECONDS);
    }
}

// One warp. A card's letters of the meeting before last are not read any more: whoever writes new
// ones has left the last meeting, to which every card came when it had left the one before.
extern "C" __global__ void __launch_bounds__(32) meet(const __grid_constant__ Meet given)
{
    if (given.cards == 0) {
        return;
    }
    Post& own = *given.posts[given.card];
    // What it has found since is of no anchor of the others'.
    if (own.left != 0) {
        return;
    }
    const unsigned lane = threadIdx.x, half = given.sequence % 2;
    const u64* word = nullptr;
    const Pick found = own.found;
    if (lane < given.cards) {
        Letter& to = given.posts[lane]->letters[half][given.card];
        to.pick = found;
        if (found.number != NONE) {
            to.place = given.places[found.place];
        }
        show(&to.sequence, given.sequence);
        word = &own.letters[half][lane].sequence;
    }
    if (!all_tell(word, given)) {
        if (lane == 0) {
            own.left = 1;
        }
        return;
    }
    Best best = {0, NONE, NONE};
    if (lane < given.cards) {
        const Pick& pick = own.letters[half][lane].pick;
        best = {pick.score, pick.number, lane};
    }
    best = block_best(best);
    if (lane != 0) {
        return;
    }
    own.bytes = 0;
    if (best.number == NONE) {
        if (given.told != nullptr) {
            *given.told = found;
        }
        return;
    }
    const Letter& won = own.letters[half][best.place];
    if (given.told != nullptr) {
        *given.told = won.pick;
    }
    Place place = won.place;
    Anchor next = {won.pick.x, won.pick.xy, place.levels, won.pick.place};
    if (best.place == given.card) {
        given.taken[next.place] = 1;
        *given.anchor = next;
        return;
    }
    // Of sixteen rows each, as they lie.
    const u64 bytes = (u64)(given.rows + 15) / 16 * 2 * place.bits;
    if (place.bits != 0 && place.length == 1 && bytes >= given.from) {
        own.from = place.address;
        own.bytes = bytes;
        own.winner = best.place;
        place.address = (u64)given.guests[given.card];
    }
    next.place = given.count;
    *given.anchor = next;
    given.places[next.place] = place;
}

// Words under way of each thread.
#define AHEAD 4

// Brings this card's part of the winner's column to all cards but that one.
template <typename Word>
__device__ __forceinline__ void fetch(const Meet& given, const Word* column, u64 words,
                                      unsigned winner)
{
    const u64 sharers = given.cards - 1;
    const u64 each = ((words + sharers - 1) / sharers + 15) / 16 * 16;
    const u64 from = min(words, each * (given.card - (given.card > winner)));
    const u64 to = min(words, from + each), step = stride();
    for (u64 at = from + first(); at < to; at += AHEAD * step) {
        Word word[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (at + k * step < to) {
                word[k] = column[at + k * step];
            }
        }
        for (unsigned card = 0; card < given.cards; card++) {
            Word* const guest = (Word*)given.guests[card];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (card != winner && at + k * step < to) {
                    guest[at + k * step] = word[k];
                }
            }
        }
    }
}

// Behind `meet`. What is written to is read by nobody: every card came to the meeting when it had
// laid the column before out.
extern "C" __global__ void __launch_bounds__(512) bring(const __grid_constant__ Meet given)
{
    if (given.cards == 0) {
        return;
    }
    Post& own = *given.posts[given.card];
    if (own.left != 0 || own.bytes == 0) {
        return;
    }
    const u64 from = own.from, bytes = own.bytes;
    const unsigned winner = own.winner;
    // Columns of 4 bits lie at multiples of 8 bytes.
    if ((from | bytes) % 16 == 0) {
        fetch(given, (const uint4*)from, bytes / 16, winner);
    } else {
        fetch(given, (const u64*)from, bytes / 8, winner);
    }
    __threadfence_system();
    if (!last_of(gridDim.x, &own.arrived) || threadIdx.x >= 32) {
        return;
    }
    const unsigned lane = threadIdx.x;
    const u64* word = nullptr;
    if (lane < given.cards && lane != given.card && lane != winner) {
        show(&given.posts[lane]->parts[given.card], given.sequence);
        word = &own.parts[lane];
    }
    if (!all_tell(word, given) && lane == 0) {
        own.left = 1;
    }
}
