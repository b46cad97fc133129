import { atMost, type Figure, round, type Scenario } from '../figure.ts';
import { measureSync, spent } from '../measured-sync.ts';
import { DOCUMENTED, withWorkplace } from '../with-workplace.ts';

export const slowSubmits: Scenario = {
  name: 'slow-submits',
  title: "2,000 contacts at the service's limit, submissions that take their time, no trial",
  measure: measureSlowSubmits,
};

const CONTACTS = 2_000;
const JOB_TIME_MS = 5_000;

async function measureSlowSubmits(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const delayMs of [300, 1_000, 2_000, 5_000]) figures.push(...(await measureAt(delayMs)));
  return figures;
}

/** Against the floor of the limit, the job, and one submission. */
function measureAt(delayMs: number): Promise<Figure[]> {
  const options = { ...DOCUMENTED, jobTimeMs: JOB_TIME_MS };
  const extra = '    guards: { trial: { size: 0 } }\n';
  return withWorkplace(
    CONTACTS,
    options,
    async (place, { rootUrl }) => {
      const on = { method: 'POST', path: '/enhancements' };
      const body = JSON.stringify([{ on, fault: { kind: 'slowAnswer', delayMs } }]);
      const headers = { 'content-type': 'application/json' };
      const put = await fetch(`${rootUrl}/_sandbox/faults`, { method: 'PUT', headers, body });
      if (!put.ok) throw new Error(await put.text());
      const measured = await measureSync(place.settings);
      const floor = (CONTACTS / 100 + CONTACTS / 10) / DOCUMENTED.rate;
      const least = floor + JOB_TIME_MS / 1_000 + delayMs / 1_000;
      const name = `submissions of ${delayMs / 1_000} s`;
      return [
        {
          ...atMost(
            `${name}: time against floor + job + one`,
            round(measured.runSeconds / least),
            '×',
            1.08,
          ),
          goal: `≤ 1.08 of ${round(least)} s`,
        },
        atMost(`${name}: answers of 429`, measured.run.calls.throttled, '', 0),
        atMost(`${name}: credits paid twice`, spent(measured) - CONTACTS, '', 0),
      ];
    },
    extra,
  );
}
