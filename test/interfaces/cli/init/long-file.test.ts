/** The set-up reads only the first 10,000 rows. Every later command also reads the other rows. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../../helpers/cli.ts';
import { closedAfterTest } from '../../../helpers/closed-after-test.ts';

const open = closedAfterTest(openCliWorld);

const ROWS = 10_050;

const planSchema = z.object({
  plans: z.array(z.object({ read: z.int(), leave: z.record(z.string(), z.int()) })),
});

it('finds words and doubled ids behind the rows that the set-up has seen', async () => {
  const here = await open({ people: 0 });
  const rows = Array.from({ length: ROWS }, (_, at) => ({
    Mitgliedsnummer: `M${at}`,
    Vorname: 'Ada',
    Nachname: `Vale${at}`,
    Straße: `Hauptstraße ${at}`,
    Ort: 'Kiel',
    Verstorben: at === ROWS - 5 ? 'lebt' : 'Nein',
  }));
  await here.saveRows(rows);
  const init = ['init', '--yes', '--force', '--crm', 'csv', '--csv-path', 'riverside.csv'];
  const url = new URL(here.service.baseUrl).href;
  const { exitCode } = await here.run([...init, '--id', 'riverside', '--partner-url', url]);
  expect(exitCode).toBe(0);
  const { plans } = await here.runJson(['plan'], planSchema);
  expect(plans[0]).toMatchObject({ read: ROWS, leave: { mark_unknown: 1 } });
  expect((await here.run(['doctor'])).stdout).toContain('"lebt" (1)');

  const [first] = rows;
  await here.saveRows(rows.map((row, at) => (at === ROWS - 1 ? { ...row, ...idOf(first) } : row)));
  const refused = await here.run(['sync']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(`line ${ROWS + 1}`);
  expect(await here.spent()).toBe(0);
});

function idOf(row: { Mitgliedsnummer: string } | undefined) {
  return { Mitgliedsnummer: row?.Mitgliedsnummer ?? '' };
}
