/** A process that starts on a database for the first time and prints what it made of it, as JSON. */

import { openDatabase } from '../../../src/store/engine/database.ts';
import { migrateToLatest } from '../../../src/store/engine/migrate.ts';
import type { Tables } from '../../../src/store/engine/tables.ts';
import { createFingerprint, loadFingerprintKey } from '../../../src/store/secrets/fingerprint.ts';
import { loadKeyRing } from '../../../src/store/secrets/key-ring.ts';
import { createSealer } from '../../../src/store/secrets/sealed.ts';

const [url = '', secretKey] = process.argv.slice(2);
const keyRing = await loadKeyRing(secretKey, url);
const { db, close } = await openDatabase<Tables>(url);
const migrations = await migrateToLatest(db);
const fingerprint = createFingerprint(await loadFingerprintKey(db, createSealer(keyRing)));
await close();
process.stdout.write(JSON.stringify({ migrations, fingerprint: fingerprint('test', 'text') }));
