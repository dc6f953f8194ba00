"""Writes the files in pgen/ beside this script with PLINK 2 (v2.00a3.5): genotypes of every form that it chooses, each also as a
.bed; phases; dosages, also as a table. Its log and other by-products are removed."""

import pathlib
import random
import subprocess

here = pathlib.Path(__file__).parent / "pgen"
n = 67
random.seed(1)


def draw(frequency):
    return sum(random.random() < frequency for _ in range(2))


def genotypes():
    """Runs of variants that follow one another, of which some have the other allele; missing ones; rare ones."""
    all = []
    for run in range(12):
        first = [draw(random.uniform(0.1, 0.9)) for _ in range(n)]
        for other in range(3):
            own = [draw(0.5) if random.random() < 0.04 else g for g in first]
            all.append([2 - g for g in own] if other == 2 else own)
        missing = random.choice([0, 0.02, 0.4, 0.95])
        rare = [draw(0.02) for _ in range(n)]
        if run % 2:
            rare = [2 - g for g in rare]
        all.append([None if random.random() < missing else g for g in rare])
        two = random.choice([(0, 1), (1, 2), (0, 2)])
        all.append([random.choice(two) if random.random() < 0.97 else None for _ in range(n)])
    return all


def vcf(name, format, cells):
    people = "\t".join(f"s{i}" for i in range(n))
    lines = [
        "##fileformat=VCFv4.3",
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
        '##FORMAT=<ID=DS,Number=1,Type=Float,Description="Dosage">',
        f"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{people}",
    ]
    for at, own in enumerate(cells):
        place = f"{1 + at // 40}\t{100 * at + 1}\trs{at}\tA\tC"
        lines.append(f"{place}\t.\t.\t.\t{format}\t" + "\t".join(own))
    (here / name).write_text("\n".join(lines) + "\n")


def plink(*arguments):
    subprocess.run(["plink2", *arguments], cwd=here, check=True, stdout=subprocess.DEVNULL)


def text(g, mark="/"):
    if g is None:
        return "./."
    return mark.join(random.choice(["01", "10"]) if g == 1 and mark == "|" else f"{int(g > 1)}{int(g > 0)}")


def dosage(g, share):
    """The genotype alone of some people, of others a dosage near it; nothing of a few."""
    if g is None or random.random() >= share:
        return f"{text(g)}:."
    near = min(2, max(0, g + random.uniform(-0.4, 0.4)))
    return f"{text(g)}:{near:.3f}"


all = genotypes()
phenotypes = "".join(f"s{i}\t{random.gauss(0, 1):.4f}\t{1 + i % 2}\n" for i in range(n))
(here / "traits.txt").write_text("#IID\theight\tcase\n" + phenotypes)
vcf("hard.vcf", "GT", [[text(g) for g in own] for own in all])
plink("--vcf", "hard.vcf", "--pheno", "traits.txt", "--make-pgen", "--out", "hard")
plink("--pfile", "hard", "--make-bed", "--out", "hard")
vcf("phased.vcf", "GT", [[text(g, "|" if random.random() < 0.7 else "/") for g in own] for own in all[:20]])
plink("--vcf", "phased.vcf", "--make-pgen", "--out", "phased")
plink("--pfile", "phased", "--make-bed", "--out", "phased")
shares = [0, 0.03, 0.3, 1]
cells = [[dosage(g, shares[at % 4]) for g in own] for at, own in enumerate(all[:20])]
vcf("dosages.vcf", "GT:DS", cells)
plink("--vcf", "dosages.vcf", "dosage=DS", "--make-pgen", "--out", "dosages")
(here / "alts.txt").write_text("".join(f"rs{at}\tC\n" for at in range(20)))
plink("--pfile", "dosages", "--export", "A", "--export-allele", "alts.txt", "--out", "dosages")
for name in here.iterdir():
    if name.suffix in (".vcf", ".log") or name.name in ("traits.txt", "alts.txt"):
        name.unlink()
