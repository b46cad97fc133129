/** Finds the writes of a run whose values were all restored by an undo. */
import { fromRows } from '../../database/from-row.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { WriteRecord } from './deliveries.ts';

/** Returns the contacts whose values of this run were all restored. */
export async function findRestoredContacts(
  reader: Reader,
  runId: string,
  crmIds: readonly string[],
): Promise<Set<string>> {
  const restored = new Set<string>();
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await reader
      .selectFrom('writes')
      .select('crm_id')
      .distinct()
      .where('run_id', '=', runId)
      .where('crm_id', 'in', batch)
      .where('state', '=', 'undone')
      .where('crm_id', 'not in', (eb) =>
        eb
          .selectFrom('writes as open')
          .select('open.crm_id')
          .where('open.run_id', '=', runId)
          .where('open.state', 'in', ['written', 'intended']),
      )
      .execute();
    for (const { crm_id } of rows) restored.add(crm_id);
  }
  return restored;
}

/** Lists the undone writes of a run to a contact, oldest first. */
export async function listUndoneWrites(
  reader: Reader,
  runId: string,
  crmId: string,
): Promise<WriteRecord[]> {
  const rows = await reader
    .selectFrom('writes')
    .selectAll()
    .where('run_id', '=', runId)
    .where('crm_id', '=', crmId)
    .where('state', '=', 'undone')
    .orderBy('written_at')
    .orderBy('id')
    .execute();
  return fromRows(rows);
}
