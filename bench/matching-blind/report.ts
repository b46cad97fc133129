/**
 * Writes the results as Markdown. The report contains tables for each kind of case, the goals, and the data of each
 * wrong case.
 */

import type { Case } from './case.ts';
import { writeHome } from './contact.ts';
import type { Person } from './people.ts';
import {
  type Bin,
  calibrate,
  count,
  groupByKind,
  measureCalibrationError,
  measurePrecision,
  measureRecall,
  type Verdict,
} from './verdict.ts';

const CASES_SHOWN_AS_MISSED = 6;

/** Returns a goal with its measured figure. `goal` is a text such as `at least 0.88`. */
export function renderGoal(name: string, figure: number, goal: string, isReached: boolean): string {
  return `| ${name} | ${goal} | ${isReached ? renderNumber(figure) : `**${renderNumber(figure)}**`} |`;
}

export function renderGoals(rows: string[]): string {
  return `| Figure | Goal | Result |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

export function renderNumber(figure: number): string {
  return Number.isInteger(figure) ? String(figure) : figure.toFixed(4);
}

export function renderKinds(verdicts: Verdict[]): string {
  const rows = [...groupByKind(verdicts)].map(([kind, ofKind]) => {
    const { cases, inList, right, wrong } = count(ofKind);
    const undecidable = ofKind.filter((verdict) => verdict.case.isUndecidable).length;
    const recall = inList > 0 ? renderNumber(right / inList) : '';
    return `| ${kind} | ${cases} | ${inList} | ${right} | ${recall} | ${wrong} | ${undecidable} |`;
  });
  return `| Kind | Cases | In the list | Found | Recall | Wrong | Undecidable |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}

export function renderSamePeople(verdicts: Verdict[]): string {
  const recall = measureRecall(verdicts);
  const { wrong } = count(verdicts);
  const worst = Math.min(...[...groupByKind(verdicts).values()].map(measureRecall));
  return renderGoals([
    renderGoal('recall over all kinds', recall, 'at least 0.88', recall >= 0.88),
    renderGoal('recall of the worst kind', worst, 'not far below', worst >= 0.7),
    renderGoal('another donor instead', wrong, '0', wrong === 0),
  ]);
}

export function renderOtherPeople(verdicts: Verdict[]): string {
  const decidable = verdicts.filter((verdict) => !verdict.case.isUndecidable);
  const all = count(verdicts);
  const told = count(decidable);
  return renderGoals([
    renderGoal(`wrong, of ${all.cases}`, all.wrong, '0', all.wrong === 0),
    renderGoal(
      `wrong without undecidable cases, of ${told.cases}`,
      told.wrong,
      '0',
      told.wrong === 0,
    ),
  ]);
}

export function renderMixture(verdicts: Verdict[]): string {
  const decidable = verdicts.filter((verdict) => !verdict.case.isUndecidable);
  const strangers = count(verdicts.filter((verdict) => verdict.case.kind === 'not in the list'));
  const absent = strangers.wrong / strangers.cases;
  const rows = [
    ['all', verdicts] as const,
    ['without undecidable cases', decidable] as const,
  ].flatMap(([name, some]) => {
    const precision = measurePrecision(some);
    const all = measureCalibrationError(calibrate(some, true));
    const matches = measureCalibrationError(calibrate(some, false));
    return [
      renderGoal(`precision, ${name}`, precision, 'at least 0.998', precision >= 0.998),
      renderGoal(`recall, ${name}`, measureRecall(some), '', true),
      renderGoal(`calibration error, ${name}`, all, 'at most 0.02', all <= 0.02),
      renderGoal(`calibration error of matches, ${name}`, matches, 'at most 0.02', matches <= 0.02),
    ];
  });
  rows.push(
    renderGoal('matched, of people not in the list', absent, 'at most 0.003', absent <= 0.003),
  );
  return `${renderGoals(rows)}\n${renderBins(calibrate(verdicts, true))}`;
}

function renderBins(bins: Bin[]): string {
  const rows = bins.map(
    (bin) => `| ${renderNumber(bin.said)} | ${renderNumber(bin.true)} | ${bin.answers} |`,
  );
  return `| Stated probability | True share | Answers |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** Writes each wrong case with the contact, the donor and the service's evidence. Undecidable cases come last. */
export function renderWrong(verdicts: Verdict[], people: Map<string, Person>): string {
  return verdicts
    .filter(({ outcome }) => outcome === 'wrong')
    .sort((one, other) => Number(one.case.isUndecidable) - Number(other.case.isUndecidable))
    .map((verdict) => renderCase(verdict, people))
    .join('\n');
}

/** Writes some people of each kind who were not found, with the most likely donor. */
export function renderMissed(verdicts: Verdict[], people: Map<string, Person>): string {
  return [...groupByKind(verdicts).values()]
    .flatMap((ofKind) =>
      ofKind
        .filter((verdict) => verdict.outcome === 'none' && verdict.case.right.length > 0)
        .slice(0, CASES_SHOWN_AS_MISSED),
    )
    .map((verdict) => renderCase(verdict, people))
    .join('\n');
}

function renderCase({ case: one, answer }: Verdict, people: Map<string, Person>): string {
  const describe = (keys: string[]) =>
    keys.map((key) => renderPerson(people.get(key))).join(' AND ') || 'nobody';
  const { runnerUp } = answer;
  return [
    `- ${one.kind}${one.isUndecidable ? ' (undecidable)' : ''}`,
    `  - contact: ${renderContact(one)}`,
    `  - in the list: ${describe(one.right)}; similar: ${describe(one.beside)}`,
    `  - matched: ${describe(answer.matched)}; ${answer.probability}; ${answer.reasons.join('. ')}`,
    `  - likeliest other: ${runnerUp ? `${describe(runnerUp.keys)}; ${runnerUp.probability}; ${runnerUp.reasons.join('. ')}` : 'nobody'}`,
  ].join('\n');
}

function renderContact({ contact }: Case): string {
  const { first, last, addresses, employers } = contact;
  return [`"${first}" "${last}"`, ...addresses, ...employers].join(' | ');
}

export function renderPerson(person: Person | undefined): string {
  if (!person) return 'an unknown row';
  const { key, first, last, filed, home, employer } = person;
  const name = [first, filed.middle, last, filed.suffix].filter(Boolean).join(' ');
  const details = [filed.birth || 'no birth', writeHome(home), employer || 'no employer'];
  return `[${key}] ${name} | ${details.join(' | ')}`;
}
