import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { watchBalance } from '../../src/credits/balance.ts';
import { createRunControl } from '../../src/sync/control/control.ts';

it('holds a reading against what was open at one moment, also if an answer comes in between', async () => {
  const lost = { id: 'lost', persons: 6 };
  const slow = { id: 'slow', persons: 5 };
  const key = { balance: 100, sequence: 1 };
  let open = [{ id: 'answered', persons: 8 }, lost, slow];
  const known = {
    findBalance: async () => ({ ...key }),
    async listOpen() {
      // A response is recorded between two database reads.
      if (key.sequence === 1) {
        Object.assign(key, { balance: 92, sequence: 2 });
        open = [lost, slow];
      }
      return open;
    },
  };
  const none = { donors: 0, exports: 0, lists: 0, networks: 0, searches: 0 };
  const credits = { ...none, enhancements: 86 };
  const watch = watchBalance(
    { ...known, partner: { readCredits: async () => credits } },
    {
      partnerKey: 'key',
      control: createRunControl(systemClock, new AbortController().signal),
    },
  );
  await watch.look();
  // In the meantime, the slow submission received its response. The service charged for it after the balance was read.
  const [glance] = watch.glancesAt(new Set(['lost']), 87);
  expect(glance).toMatchObject({ balance: 86, before: 92, beside: [5] });
});
