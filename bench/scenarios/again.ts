import { readFile, writeFile } from 'node:fs/promises';
import { exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { measureSync, spent } from '../measured-sync.ts';
import { UNLIMITED, withWorkplace } from '../with-workplace.ts';
import type { Workplace } from '../workplace.ts';

export const again: Scenario = {
  name: 'again',
  title: '5,000 contacts, then again, then with 18 of them changed',
  measure: measureAgain,
};

async function measureAgain(): Promise<Figure[]> {
  return withWorkplace(5_000, UNLIMITED, async (place) => {
    const first = await measureSync(place.settings);
    const second = await measureSync(place.settings);
    await editContacts(place, 18);
    const third = await measureSync(place.settings);
    return [
      plain('credits of the first run', spent(first), ''),
      exactly('credits of the second run', spent(second), '', 0),
      exactly('fields written by the second run', second.run.contacts['written'] ?? 0, '', 0),
      plain('time of the second run', second.runSeconds, 's'),
      exactly('credits after 18 changes', spent(third), '', 18),
    ];
  });
}

/** Changes the employer of the first contacts in the file that have a complete name. */
async function editContacts({ input }: Workplace, count: number): Promise<void> {
  const [header = '', ...rows] = (await readFile(input, 'utf8')).split('\n');
  let edited = 0;
  const changed = rows.map((row) => {
    const isWhole = /^[^,]+,[^,]+,[^,]+,/.test(row);
    if (!isWhole || edited === count) return row;
    edited += 1;
    return `${row.slice(0, row.lastIndexOf(','))},Changed Employer ${edited}`;
  });
  await writeFile(input, [header, ...changed].join('\n'));
}
