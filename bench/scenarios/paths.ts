import { atMost, exactly, type Figure, plain, round, type Scenario } from '../figure.ts';
import { measurePaths } from '../warm-paths.ts';
import { DOCUMENTED } from '../with-workplace.ts';

/** Donors in one comparison (service document, section 8). */
const DONORS_PER_REQUEST = 100;

export const paths: Scenario = {
  name: 'paths',
  title: '50,000 contacts against a network of 500 members, then a night without changes',
  measure: measureNetwork,
};

async function measureNetwork(): Promise<Figure[]> {
  const { donors, first, second, ...measured } = await measurePaths({
    contacts: 50_000,
    members: 500,
  });
  const calls = Math.ceil(donors / DONORS_PER_REQUEST);
  const floorSeconds = calls / DOCUMENTED.rate;
  return [
    plain('different donors', donors, ''),
    plain('contacts with a warm path', measured.paths, ''),
    atMost('calls to compare against the floor', round(first.compares / calls), '×', 1.05),
    atMost('all calls against the floor', round(first.run.calls.partner / calls), '×', 1.05),
    atMost('time against the floor', round(first.runSeconds / floorSeconds), '×', 1.2),
    { ...plain('time', first.runSeconds, 's'), goal: `floor ${floorSeconds} s` },
    atMost('answers of 429', first.run.calls.throttled, '', 0),
    plain('peak resident memory', first.peakMegabytes ?? 0, 'MB'),
    exactly('calls to compare in the second run', second.compares, '', 0),
    plain('time of the second run', second.runSeconds, 's'),
  ];
}
