import { atMost, type Figure, plain, round, type Scenario } from '../figure.ts';
import { measureSync } from '../measured-sync.ts';
import { DOCUMENTED, withWorkplace } from '../with-workplace.ts';

export const limit: Scenario = {
  name: 'limit',
  title: "2,000 contacts at the service's limit, jobs of 5 s",
  measure: measureLimit,
};

async function measureLimit(): Promise<Figure[]> {
  const contacts = 2_000;
  const jobTimeMs = 5_000;
  return withWorkplace(contacts, { ...DOCUMENTED, jobTimeMs }, async (place) => {
    const { run, runSeconds } = await measureSync(place.settings);
    const requests = contacts / 100 + contacts / 10;
    const floor = requests / DOCUMENTED.rate + jobTimeMs / 1_000;
    return [
      atMost('time against the floor', round(runSeconds / floor), '×', 1.05),
      { ...plain('time', runSeconds, 's'), goal: `floor ${floor} s` },
      atMost('answers of 429', run.calls.throttled, '', 0),
      plain('requests to the service', run.calls.partner, ''),
    ];
  });
}
