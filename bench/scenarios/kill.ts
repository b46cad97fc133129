import { exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { killSyncs } from '../kill.ts';

export const kill: Scenario = {
  name: 'kill',
  title: '1,000 contacts, SIGKILL at 200 random moments',
  measure: measureKills,
};

async function measureKills(): Promise<Figure[]> {
  const sums = await killSyncs(1_000, 200);
  return [
    plain('kills', sums.kills, ''),
    plain('syncs that they hit', sums.experiments, ''),
    exactly('contacts paid for twice', sums.paidTwice, '', 0),
    exactly('credits without explanation', sums.unexplained, '', 0),
    exactly('contacts without an outcome', sums.withoutOutcome, '', 0),
    exactly('delivered profiles not in the file', sums.missingInFile, '', 0),
    plain('contacts held as a lost answer', sums.heldAsLost, ''),
  ];
}
