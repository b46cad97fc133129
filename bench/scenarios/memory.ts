import { atLeast, atMost, type Figure, plain, type Scenario } from '../figure.ts';
import { measureSync } from '../measured-sync.ts';
import { UNLIMITED, withWorkplace } from '../with-workplace.ts';

export const memory: Scenario = {
  name: 'memory',
  title: '200,000 contacts end to end, limits and job time off',
  measure: measureMemory,
};

async function measureMemory(): Promise<Figure[]> {
  const contacts = 200_000;
  return withWorkplace(contacts, UNLIMITED, async (place) => {
    const first = await measureSync(place.settings);
    const second = await measureSync(place.settings);
    return [
      atMost('peak resident memory', first.peakMegabytes ?? 0, 'MB', 175),
      atLeast('contacts a second', Math.round(contacts / first.runSeconds), '/s', 1_500),
      atMost('peak of a run without changes', second.peakMegabytes ?? 0, 'MB', 175),
      plain('time of a run without changes', second.runSeconds, 's'),
    ];
  });
}
