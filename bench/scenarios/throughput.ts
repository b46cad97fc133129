import { atLeast, type Figure, plain, type Scenario } from '../figure.ts';
import { measureSync } from '../measured-sync.ts';
import { UNLIMITED, withWorkplace } from '../with-workplace.ts';

export const throughput: Scenario = {
  name: 'throughput',
  title: '20,000 contacts end to end, limits and job time off',
  measure: measureThroughput,
};

async function measureThroughput(): Promise<Figure[]> {
  const contacts = 20_000;
  return withWorkplace(contacts, UNLIMITED, async (place) => {
    const { runSeconds, wallSeconds, peakMegabytes } = await measureSync(place.settings);
    return [
      atLeast('contacts a second', Math.round(contacts / runSeconds), '/s', 1_500),
      plain('with start and end of the process', Math.round(contacts / wallSeconds), '/s'),
      plain('peak resident memory', peakMegabytes ?? 0, 'MB'),
    ];
  });
}
