import { writeFileSync } from 'node:fs';
import { attack } from './bench/scenarios/fuzz/attack.ts';
import { openSettingsEdge } from './bench/scenarios/fuzz/settings.ts';

const e = await openSettingsEdge();
const read = e.read;
await attack(
  {
    ...e,
    read: async (i) => {
      writeFileSync('/tmp/last-input', i.bytes);
      return read(i);
    },
  },
  '2',
  20000,
);
