import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { integrationSchema } from '../../src/core/integration-settings.ts';
import { silentLog } from '../../src/core/log.ts';
import { type Proof, settleOpen, type Unanswered } from '../../src/credits/spend.ts';
import { createRunControl } from '../../src/sync/control/control.ts';

const MOST_PROOFS = 5;

it('settles what is lost together, also what came back while it was looked at', async () => {
  const integration = integrationSchema.parse({
    id: 'riverside',
    partner: { baseUrl: 'https://partner.example', apiKey: 'key' },
    crm: { kind: 'memory', name: 'crm' },
  });
  const open = ['one', 'two'].map((id) => ({ id, integrationId: integration.id }));
  const underWay = new Map([['one', Promise.resolve()]]);
  const proved: string[][] = [];
  const proof: Proof<Unanswered> = {
    async listOpen() {
      // The response is lost at this moment.
      underWay.delete('one');
      return [...open];
    },
    letsOthersPass: () => false,
    async prove(lost) {
      proved.push(lost.map((each) => each.open.id));
      if (proved.length > MOST_PROOFS) throw new Error('The same is looked at again and again.');
      // The balance shows the result of all open requests, or of no request.
      if (lost.length === open.length) open.length = 0;
    },
  };
  const clock = systemClock;
  const deps = {
    store: { leases: { release: async () => undefined } },
    ...{ clock, log: silentLog },
    takeLease: async () => ({ acquired: false, owner: 'another', until: 0 }) as const,
  };
  const run = {
    ...{ id: 'run', integration, lease: { integrationId: integration.id, epoch: 1 } },
    control: createRunControl(clock, new AbortController().signal),
  };
  expect(await settleOpen(deps, run, proof, underWay)).toBe('clear');
  expect(proved.at(-1)).toEqual(['one', 'two']);
});
