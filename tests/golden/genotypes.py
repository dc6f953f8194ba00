"""Simulated genotypes from their definition: the rows of a .bed, in hexadecimal digits.

    python3 genotypes.py
"""

from math import floor, log

M32 = 0xFFFFFFFF


def chacha8(seed, stream):
    """The 64-bit words of a stream of ChaCha8: key seed, 0, 0, 0; block counter and stream of 64 bits each."""

    def quarter(x, a, b, c, d):
        for into, add, turn, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[into] = (x[into] + x[add]) & M32
            x[turn] ^= x[into]
            x[turn] = (x[turn] << by | x[turn] >> (32 - by)) & M32

    counter = 0
    while True:
        key = [seed & M32, seed >> 32] + [0] * 6
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574] + key
        start += [counter & M32, counter >> 32, stream & M32, stream >> 32]
        x = list(start)
        for _ in range(4):
            for a in range(4):
                quarter(x, a, a + 4, a + 8, a + 12)
            for a in range(4):
                quarter(x, a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
        words = [(own + of) & M32 for own, of in zip(x, start)]
        for at in range(0, 16, 2):
            yield words[at] | words[at + 1] << 32
        counter += 1


def alleles(words, before, probabilities):
    """One bit for each of 256 people, by the bit before; bit i of word w is person 64·w + i."""
    digits = [int(p * 2.0**64) for p in probabilities]
    drawn, opened = [0] * 256, [True] * 256

    def settle(person, digit):
        drawn[person] = digits[before[person]] >> (63 - digit) & 1 if digit < 64 else 0
        opened[person] = False

    for plane in range(8):
        for w in range(4):
            word = next(words)
            for i in range(64):
                if opened[64 * w + i] and word >> i & 1:
                    settle(64 * w + i, plane)
    for person in range(256):
        if opened[person]:
            word = next(words)
            settle(person, 8 + 64 - word.bit_length())
    return drawn


def rows(n, p, block, rho, maf, missing, seed):
    assert n <= 256
    frequencies = chacha8(seed, 2**64 - 2)
    for first in range(0, p, block):
        low, high = maf
        f = low + (high - low) * ((next(frequencies) >> 11) / 2.0**53)
        words = chacha8(seed, (0b110 << 61) + (first // block << 20))
        haplotypes = [[0] * 256, [0] * 256]
        for variant in range(first, min(p, first + block)):
            anew = (1.0 - rho) * f
            probabilities = (f, f) if variant == first else (anew, rho + anew)
            haplotypes = [alleles(words, own, probabilities) for own in haplotypes]
            # Bits of a word are people 0, 32, 1, 33, … of its 64.
            codes = []
            for person in range(n):
                w, own = divmod(person, 64)
                bit = 64 * w + 2 * (own % 32) + own // 32
                codes.append({2: 0b00, 1: 0b10, 0: 0b11}[haplotypes[0][bit] + haplotypes[1][bit]])
            gaps, at = chacha8(seed, (0b111 << 61) + variant), 0
            while missing > 0:
                unit = ((next(gaps) >> 12) + 0.5) / 2.0**52
                at += floor(log(unit) / log(1.0 - missing))
                if at >= n:
                    break
                codes[at] = 0b01
                at += 1
            codes += [0] * (-n % 4)
            yield bytes(sum(codes[at + i] << 2 * i for i in range(4)) for at in range(0, len(codes), 4))


for row in rows(n=70, p=5, block=3, rho=0.8, maf=(0.2, 0.5), missing=0.05, seed=7):
    print(row.hex())
