import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { measureSync, spent } from '../measured-sync.ts';
import { DOCUMENTED, NO_TRIAL, withWorkplace } from '../with-workplace.ts';
import type { Workplace } from '../workplace.ts';

const JOB_TIME_MS = 5_000;

/** The latency of the service, and the additional latency of a submission. */
interface Distance {
  latencyMs: number;
  submitLatencyMs: number;
}

const DISTANCES: readonly Distance[] = [
  { latencyMs: 0, submitLatencyMs: 0 },
  { latencyMs: 300, submitLatencyMs: 0 },
  { latencyMs: 300, submitLatencyMs: 2_000 },
  { latencyMs: 300, submitLatencyMs: 5_000 },
];

/** Measures the same figures as `limit`, but with a distant service. */
export const limitFar: Scenario = {
  name: 'limit-far',
  title: "2,000 contacts at the service's limit, jobs of 5 s, and a service that is far away",
  async measure() {
    const figures: Figure[] = [];
    for (const distance of DISTANCES) figures.push(...(await measureAt(2_000, distance, 1.08)));
    return figures;
  },
};

/** Measures a run that takes longer than a reading of the balance stays valid. */
export const limitLong: Scenario = {
  name: 'limit-long',
  title: "20,000 contacts at the service's limit, jobs of 5 s, and submits of 2 s",
  measure: () => measureAt(20_000, { latencyMs: 0, submitLatencyMs: 2_000 }, 1.05),
};

function measureAt(contacts: number, distance: Distance, most: number): Promise<Figure[]> {
  const options = { ...DOCUMENTED, jobTimeMs: JOB_TIME_MS, ...distance };
  const measure = async ({ settings }: Workplace) => {
    const measured = await measureSync(settings);
    const { run, runSeconds } = measured;
    const { latencyMs, submitLatencyMs } = distance;
    const submitMs = latencyMs + submitLatencyMs;
    const floor = floorSeconds(contacts, submitMs);
    const name = submitLatencyMs === 0 ? `${latencyMs} ms` : `submits of ${submitMs / 1_000} s`;
    return [
      atMost(`${name}: time against the floor`, round(runSeconds / floor), '×', most),
      { ...plain(`${name}: time`, runSeconds, 's'), goal: `floor ${round(floor)} s` },
      exactly(`${name}: answers of 429`, run.calls.throttled, '', 0),
      atMost(`${name}: credits beyond one for each`, spent(measured) - contacts, '', 0),
    ];
  };
  return withWorkplace(contacts, options, measure, NO_TRIAL);
}

/** Returns the shortest time that the service's limit allows, including the time for one job and for one submission. */
export function floorSeconds(contacts: number, submitMs: number): number {
  const requests = contacts / 100 + contacts / 10;
  return requests / DOCUMENTED.rate + (JOB_TIME_MS + submitMs) / 1_000;
}
