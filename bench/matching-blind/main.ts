/**
 * Measures the matcher independently of the product's own tests. The benchmark uses only the command line and the HTTP
 * interface of the service. The benchmark creates its own people, variations and families. Run `node
 * bench/matching-blind/main.ts --donors 10000 --seed 1`. The option `--parts kinds,mixture,families,import` limits the
 * work. The option `--out FOLDER` sets the folder for `report.md`, `wrong.md` and `missed.md`.
 */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Case } from './case.ts';
import { writeDonorList } from './donor-list.ts';
import { drawFamilyCases } from './families.ts';
import { checkOneList, checkTwice, checkTwoSources, drawImportFamilies } from './imports.ts';
import { drawMixture } from './mixture.ts';
import { drawOtherPeopleCases } from './other-people.ts';
import { drawPopulation, type Person } from './people.ts';
import { createRandom, type Random } from './random.ts';
import {
  renderKinds,
  renderMissed,
  renderMixture,
  renderOtherPeople,
  renderSamePeople,
  renderWrong,
} from './report.ts';
import { renderImports, renderWrongImports } from './report-imports.ts';
import { drawSamePersonCases } from './same-person.ts';
import { importList, startService } from './service.ts';
import { count, judge, measureRecall, type Verdict } from './verdict.ts';
import { drawWrongDetailCases } from './wrong-detail.ts';

const SIZES = {
  /** The number of cases of each kind, both for the same person and for other people. */
  kind: 60,
  mixture: 10_000,
  families: 3_000,
  /** The number of cases of each kind of wrong detail. */
  wrongDetail: 200,
  importFamilies: 700,
  twice: 500,
};

const { values } = parseArgs({
  options: {
    donors: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    parts: { type: 'string', default: 'kinds,mixture,families,import' },
    out: { type: 'string', default: 'matching-blind' },
  },
});
const donors = Number(values.donors);
const seed = Number(values.seed);
const parts = values.parts.split(',');

/** The content of the three files, to which each part adds. */
const files = {
  report: [`# ${donors} donors, seed ${seed}`],
  wrong: [`# Wrong cases, ${donors} donors, seed ${seed}`],
  missed: [`# People who were not found, ${donors} donors, seed ${seed}`],
};
const folder = await mkdtemp(join(tmpdir(), 'matching-blind-'));
try {
  if (parts.includes('kinds')) await judgeKinds();
  if (parts.includes('mixture')) await judgeMixture();
  if (parts.includes('families')) await judgeFamilies();
  if (parts.includes('import')) await judgeImports();
} finally {
  await rm(folder, { recursive: true });
}

async function judgeKinds(): Promise<void> {
  const random = createRandom(seed);
  const people = drawPopulation(random, donors, 'p');
  const same = drawSamePersonCases(people, SIZES.kind, random);
  const other = drawOtherPeopleCases(people, SIZES.kind, random);
  const wrongDetail = drawWrongDetailCases(people, SIZES.wrongDetail, random);
  const verdicts = await submitCases('kinds', people, [...same, ...other, ...wrongDetail]);
  const ofSame = verdicts.slice(0, same.length);
  const ofOther = verdicts.slice(same.length, same.length + other.length);
  const ofDetail = verdicts.slice(same.length + other.length);
  files.report.push(
    '## The same person',
    renderSamePeople(ofSame),
    renderKinds(ofSame),
    '## Other people',
    renderOtherPeople(ofOther),
    renderKinds(ofOther),
    '## True people with one wrong detail and the right employer',
    `Found: ${measureRecall(ofDetail).toFixed(4)} (goal 0.95), wrong: ${count(ofDetail).wrong}`,
    renderKinds(ofDetail),
  );
  await addCases('Kinds', verdicts, people);
}

async function judgeMixture(): Promise<void> {
  const random = createRandom(seed + 1_000);
  const people = drawPopulation(random, donors, 'p');
  const mixture = drawMixture(people, SIZES.mixture, random);
  const all = [...people, ...mixture.donors];
  const verdicts = await submitCases('mixture', all, mixture.cases);
  files.report.push('## The mixture', renderMixture(verdicts), renderKinds(verdicts));
  await addCases('Mixture', verdicts, all);
}

async function judgeFamilies(): Promise<void> {
  const random = createRandom(seed + 2_000);
  const families = drawFamilyCases(SIZES.families, random);
  const all = [...drawPopulation(random, donors, 'p'), ...families.donors];
  const verdicts = await submitCases('families', all, families.cases);
  files.report.push('## Families', renderOtherPeople(verdicts), renderKinds(verdicts));
  await addCases('Families', verdicts, all);
}

async function judgeImports(): Promise<void> {
  const random: Random = createRandom(seed + 3_000);
  const families = drawImportFamilies(SIZES.importFamilies, random);
  const checks = {
    list: await checkOneList(folder, 'list', drawPopulation(random, donors, 'a')),
    families: await checkOneList(folder, 'families-list', families),
    twice: await checkTwice(folder, families, SIZES.twice, random),
    twoSources: await checkTwoSources(folder, donors, random),
  };
  files.report.push('## Imports', renderImports(checks));
  files.wrong.push('## Imports', renderWrongImports(checks));
  await writeFiles();
}

async function submitCases(name: string, people: Person[], cases: Case[]): Promise<Verdict[]> {
  const db = join(folder, `${name}.db`);
  await importList(db, await writeDonorList(folder, name, people), 'judge');
  const service = await startService(db);
  try {
    return judge(cases, await service.submit(cases.map(({ contact }) => contact)));
  } finally {
    await service.stop();
  }
}

async function addCases(title: string, verdicts: Verdict[], people: Person[]): Promise<void> {
  const byKey = new Map(people.map((person) => [person.key, person]));
  files.wrong.push(`## ${title}`, renderWrong(verdicts, byKey));
  files.missed.push(`## ${title}`, renderMissed(verdicts, byKey));
  await writeFiles();
}

/** Writes all results so far. If a run is interrupted, the results of its finished parts are kept. */
async function writeFiles(): Promise<void> {
  await mkdir(values.out, { recursive: true });
  for (const [name, texts] of Object.entries(files)) {
    await writeFile(join(values.out, `${name}.md`), `${texts.join('\n\n')}\n`);
  }
  process.stdout.write(`${files.report.join('\n\n')}\n`);
}
