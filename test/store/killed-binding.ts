/** A process that is killed while it binds the seals of an older version, in its second page of writes. */
import { bindSeals } from '../../src/store/bind-seals.ts';
import { openDatabase } from '../../src/store/database.ts';
import { parseKeyRing } from '../../src/store/key-ring.ts';
import { createSealer, createUnboundOpener } from '../../src/store/sealed.ts';
import type { Tables } from '../../src/store/tables.ts';

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
