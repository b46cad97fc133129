import { tryRestarts, tryTwoHosts } from '../clocks.ts';
import { exactly, type Figure, plain, type Scenario } from '../figure.ts';

export const clocks: Scenario = {
  name: 'clocks',
  title: 'clocks two minutes ahead and behind, a slow service, SIGKILL in flight',
  measure: measureClocks,
};

async function measureClocks(): Promise<Figure[]> {
  const hosts = await tryTwoHosts(20);
  const restarts = await tryRestarts(10);
  return [
    plain('trials with two hosts over Postgres', hosts.trials, ''),
    exactly('credits paid twice', hosts.paidTwice, '', 0),
    exactly('submissions left open', hosts.open, '', 0),
    plain('kills and restarts two minutes ahead', restarts.trials, ''),
    exactly('credits paid twice', restarts.paidTwice, '', 0),
    exactly('submissions left open', restarts.open, '', 0),
  ];
}
