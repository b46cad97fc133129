/** Writes the results of the import checks as Markdown. */

import type { ListCheck, TwiceCheck, TwoSourcesCheck } from './imports.ts';
import type { Person } from './people.ts';
import { renderGoal, renderGoals, renderPerson } from './report.ts';

export interface ImportChecks {
  list: ListCheck;
  families: ListCheck;
  twice: TwiceCheck;
  twoSources: TwoSourcesCheck;
}

const MOST_SHOWN = 40;

export function renderImports({ list, families, twice, twoSources }: ImportChecks): string {
  const { rows, wrongJoins, inexact, wrongDetails, same } = twoSources;
  const found = sum(wrongDetails.map((detail) => detail.found));
  const joined = sum(wrongDetails.map((detail) => detail.joined));
  const details = sum(wrongDetails.map((detail) => detail.rows));
  const wrongShare = wrongJoins.length / rows.length;
  const goals = [
    renderGoal('donors of a list', list.donors, String(list.people), list.donors === list.people),
    renderGoal('its pairs to review', list.toReview, '', true),
    renderGoal(
      'donors of families',
      families.donors,
      String(families.people),
      families.donors === families.people,
    ),
    renderGoal('their pairs to review', families.toReview, '', true),
    renderGoal(
      `donors with ${twice.twice} of them twice`,
      twice.donors,
      String(twice.people),
      twice.donors === twice.people,
    ),
    renderGoal(
      'twice, on the review list',
      twice.reviewed,
      String(twice.twice),
      twice.missing.length === 0,
    ),
    renderGoal('other pairs on the review list', twice.otherPairs, '', true),
    renderGoal(
      'their contacts without a donor',
      twice.unanswered.length,
      '0',
      twice.unanswered.length === 0,
    ),
    renderGoal(
      'their contacts with another donor',
      twice.wrong.length,
      '0',
      twice.wrong.length === 0,
    ),
    renderGoal(
      `wrong joins of two lists, of ${rows.length} rows`,
      wrongJoins.length,
      'at most 1 in 10,000',
      wrongShare <= 1 / 10_000,
    ),
    renderGoal('right joins', twoSources.joins - wrongJoins.length, '', true),
    renderGoal('joined, of rows with ordinary variation', same.joined / same.rows, '', true),
    renderGoal(
      `undone inexactly, of ${twoSources.undone}`,
      inexact.length,
      '0',
      inexact.length === 0,
    ),
    renderGoal(
      `wrong detail, day of birth or employer: joined or to review, of ${details}`,
      found / details,
      'at least 0.95',
      found / details >= 0.95,
    ),
    renderGoal('of these, joined', joined / details, '', true),
  ];
  const kinds = wrongDetails.map(
    (detail) => `| ${detail.kind} | ${detail.rows} | ${detail.joined} | ${detail.found} |`,
  );
  return `${renderGoals(goals)}\n| Wrong detail | Rows | Joined | Joined or to review |\n| --- | --- | --- | --- |\n${kinds.join('\n')}\n`;
}

/**
 * Returns a report of every wrong join, every inexact undo, and each person for whom the check of equal rows failed.
 */
export function renderWrongImports({ twice, twoSources }: ImportChecks): string {
  const { rows, firstList, wrongJoins, inexact } = twoSources;
  const people = new Map<string, Person>(
    [...firstList, ...rows.map(({ row }) => row)].map((person) => [person.key, person]),
  );
  const kinds = new Map(rows.map(({ row, kind }) => [row.key, kind]));
  return [
    ...wrongJoins.map(
      ({ keys }) =>
        `- wrong join (${keys.map((key) => kinds.get(key)).join('')})\n${keys.map((key) => `  - ${renderPerson(people.get(key))}`).join('\n')}`,
    ),
    ...inexact
      .slice(0, MOST_SHOWN)
      .map(
        ({ keys, before, after }) =>
          `- undone inexactly: ${keys.join(' and ')}\n  - alone: ${JSON.stringify(before)}\n  - after: ${JSON.stringify(after)}`,
      ),
    ...twice.missing
      .slice(0, MOST_SHOWN)
      .map((person) => `- twice, but not on the review list: ${renderPerson(person)}`),
    ...twice.unanswered
      .slice(0, MOST_SHOWN)
      .map(
        ({ person, error, reasons }) =>
          `- twice, but without a donor (${error}): ${renderPerson(person)}; ${reasons.join('. ')}`,
      ),
    ...twice.wrong
      .slice(0, MOST_SHOWN)
      .map(
        ({ person, matched, reasons }) =>
          `- twice, but matched with ${matched.join(' and ')}: ${renderPerson(person)}; ${reasons.join('. ')}`,
      ),
  ].join('\n');
}

function sum(figures: number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
