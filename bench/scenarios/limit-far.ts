import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { measureSync } from '../measured-sync.ts';
import { DOCUMENTED, NO_TRIAL, withWorkplace } from '../with-workplace.ts';
import type { Workplace } from '../workplace.ts';

const CONTACTS = 2_000;
const JOB_TIME_MS = 5_000;

/** How far away the service is, and how much longer it takes over a submit. */
const DISTANCES = [
  { latencyMs: 0, submitLatencyMs: 0 },
  { latencyMs: 300, submitLatencyMs: 0 },
  { latencyMs: 300, submitLatencyMs: 2_000 },
  { latencyMs: 300, submitLatencyMs: 5_000 },
];

/** `limit`, with a service that is not on this machine. */
export const limitFar: Scenario = {
  name: 'limit-far',
  title: "2,000 contacts at the service's limit, jobs of 5 s, and a service that is far away",
  async measure() {
    const figures: Figure[] = [];
    for (const distance of DISTANCES) figures.push(...(await measureAt(distance)));
    return figures;
  },
};

function measureAt(distance: (typeof DISTANCES)[number]): Promise<Figure[]> {
  const options = { ...DOCUMENTED, jobTimeMs: JOB_TIME_MS, ...distance };
  const measure = async ({ settings }: Workplace) => {
    const { run, runSeconds } = await measureSync(settings);
    const { latencyMs, submitLatencyMs } = distance;
    const submitMs = latencyMs + submitLatencyMs;
    const floor = floorSeconds(CONTACTS, submitMs);
    const name = submitLatencyMs === 0 ? `${latencyMs} ms` : `submits of ${submitMs / 1_000} s`;
    return [
      atMost(`${name}: time against the floor`, round(runSeconds / floor), '×', 1.08),
      { ...plain(`${name}: time`, runSeconds, 's'), goal: `floor ${round(floor)} s` },
      exactly(`${name}: answers of 429`, run.calls.throttled, '', 0),
    ];
  };
  return withWorkplace(CONTACTS, options, measure, NO_TRIAL);
}

/** What the service's limit makes necessary, one job, and one submit on its way. */
export function floorSeconds(contacts: number, submitMs: number): number {
  const requests = contacts / 100 + contacts / 10;
  return requests / DOCUMENTED.rate + (JOB_TIME_MS + submitMs) / 1_000;
}
