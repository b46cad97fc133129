import type { Database } from '../../../src/store/engine/tables.ts';
import type { KeyRing } from '../../../src/store/secrets/key-ring.ts';
import { secretPlace, settingsPlace } from '../../../src/store/secrets/seal-places.ts';
import { createSealer } from '../../../src/store/secrets/sealed.ts';
import { sealUnbound } from './unbound-seal.ts';

/** Brings secrets and applied settings into the form in which older versions left them. */
export async function unbindSeals(db: Database, keyRing: KeyRing): Promise<void> {
  const { open } = createSealer(keyRing);
  await db.deleteFrom('secrets').where('name', '=', 'seals_bound').execute();
  for (const { name, value } of await db.selectFrom('secrets').selectAll().execute()) {
    const older = await sealUnbound(keyRing, open(value, secretPlace(name)));
    await db.updateTable('secrets').set({ value: older }).where('name', '=', name).execute();
  }
  for (const { id, settings } of await db.selectFrom('integrations').selectAll().execute()) {
    if (settings === null) continue;
    const older = await sealUnbound(keyRing, open(settings, settingsPlace(id)));
    await db.updateTable('integrations').set({ settings: older }).where('id', '=', id).execute();
  }
}
