import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  EXCLUSION_EXPLANATIONS,
  OUTCOME_EXPLANATIONS,
  REASON_EXPLANATIONS,
  WAITING_EXPLANATIONS,
} from '../../src/core/codes/outcomes.ts';
import type { ReasonExplanation } from '../../src/core/codes/reason-explanation.ts';
import { OUTCOME_REASONS } from '../../src/core/outcome.ts';
import { WAITING_CAUSES } from '../../src/core/waiting-values.ts';
import { EXCLUSION_TEXTS } from '../../src/fields/redelivery-view.ts';
import { waitingText } from '../../src/fields/waiting-values-view.ts';

const page = await readFile(new URL('../../docs/outcomes.md', import.meta.url), 'utf8');

interface Row {
  section: string;
  meaning: string;
  next: string;
  cost: string;
}

/** Returns the rows of all tables with four columns, by the word in their first cell. */
function readRows(): Map<string, Row[]> {
  const rows = new Map<string, Row[]>();
  let section = '';
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    const cells = line.split('|').map((cell) => cell.trim());
    const [, first = '', meaning = '', next = '', cost = ''] = cells;
    if (cells.length !== 6 || !first.startsWith('`')) continue;
    for (const [, name = ''] of first.matchAll(/`(\w+)`/g)) {
      rows.set(name, [...(rows.get(name) ?? []), { section, meaning, next, cost }]);
    }
  }
  return rows;
}

const rows = readRows();

function expectWhole(name: string, section: string): void {
  const found = rows.get(name)?.filter((row) => row.section === section) ?? [];
  expect(found, `${name} in "${section}"`).toHaveLength(1);
  const [row] = found;
  expect(row?.meaning.length, name).toBeGreaterThan(10);
  expect(row?.next.length, name).toBeGreaterThan(7);
  expect(row?.cost, name).toMatch(/^(Nothing|One credit|The credit)/);
}

/** Returns a table cell as a terminal shows it, with the text of each link in place of the link. */
function withoutLinks(cell: string): string {
  return cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

function readExplanations(section: string): Record<string, ReasonExplanation> {
  const found: Record<string, ReasonExplanation> = {};
  for (const [name, ofName] of rows) {
    for (const row of ofName.filter((each) => each.section === section)) {
      const [means, next, costs] = [row.meaning, row.next, row.cost].map(withoutLinks);
      found[name] = { means: means ?? '', next: next ?? '', costs: costs ?? '' };
    }
  }
  return found;
}

describe('docs/outcomes.md', () => {
  it('has the outcomes of the catalogue', () => {
    const cells = Object.entries(OUTCOME_EXPLANATIONS).map(
      ([outcome, means]) => `| \`${outcome}\` | ${means} |`,
    );
    expect(cells).toHaveLength(6);
    expect(page).toContain(`${cells.join('\n')}\n\n`);
  });

  it('has the texts of the catalogue, word for word', () => {
    const sections = ['Written', 'Unchanged', 'Skipped', 'Failed', 'Held', 'Waiting'];
    const ofReasons = sections.map(readExplanations);
    expect(Object.assign({}, ...ofReasons)).toEqual(REASON_EXPLANATIONS);
    expect(readExplanations('Values that wait to be written')).toEqual(WAITING_EXPLANATIONS);
    expect(readExplanations('Values that stay out')).toEqual(EXCLUSION_EXPLANATIONS);
  });

  it.each(Object.entries(OUTCOME_REASONS))(
    'says of %s what happens next and what it costs',
    (reason, outcome) => {
      expectWhole(reason, `${outcome.slice(0, 1).toUpperCase()}${outcome.slice(1)}`);
    },
  );

  it.each(WAITING_CAUSES)('says so of values that wait because of %s', (cause) => {
    expectWhole(cause, 'Values that wait to be written');
    expect(waitingText(cause, null)).toContain('at no cost');
  });

  it.each(Object.keys(EXCLUSION_TEXTS))('says so of contacts that get nothing: %s', (reason) => {
    expectWhole(reason, 'Values that stay out');
  });

  it('lists no reason that does not exist', () => {
    const known = new Set<string>([
      ...Object.keys(OUTCOME_REASONS),
      ...WAITING_CAUSES,
      ...Object.keys(EXCLUSION_TEXTS),
    ]);
    expect([...rows.keys()].filter((name) => !known.has(name))).toEqual([]);
  });
});
