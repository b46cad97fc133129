/** A process that opens a database for the first time and prints the result as JSON. */

import { openDatabase } from '../../../src/database/database.ts';
import {
  createFingerprint,
  loadFingerprintKey,
} from '../../../src/database/encryption/fingerprint.ts';
import { loadKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { createSealer } from '../../../src/database/encryption/sealed.ts';
import { migrateToLatest } from '../../../src/database/migrate.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';

const [url = '', secretKey] = process.argv.slice(2);
const keyRing = await loadKeyRing(secretKey, url);
const { db, close } = await openDatabase<Tables>(url);
const migrations = await migrateToLatest(db);
const fingerprint = createFingerprint(await loadFingerprintKey(db, createSealer(keyRing)));
await close();
process.stdout.write(JSON.stringify({ migrations, fingerprint: fingerprint('test', 'text') }));
