/** A process that is killed while it binds the seals of an older version, in its second page of writes. */

import { openDatabase } from '../../../src/store/engine/database.ts';
import type { Tables } from '../../../src/store/engine/tables.ts';
import { bindSeals } from '../../../src/store/secrets/bind-seals.ts';
import { parseKeyRing } from '../../../src/store/secrets/key-ring.ts';
import { createSealer, createUnboundOpener } from '../../../src/store/secrets/sealed.ts';

const KILLED_AT = 700;

const [url = '', secretKey = ''] = process.argv.slice(2);
const keys = parseKeyRing(secretKey);
const unbound = createUnboundOpener(keys);
const { db } = await openDatabase<Tables>(url);
let writes = 0;
await bindSeals(db, {
  sealer: createSealer(keys),
  unbound: {
    ...unbound,
    open(sealed, place) {
      if (place.table === 'writes') writes += 1;
      if (writes === KILLED_AT) process.kill(process.pid, 'SIGKILL');
      return unbound.open(sealed, place);
    },
  },
});
