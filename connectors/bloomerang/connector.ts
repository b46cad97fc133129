import { z } from 'zod';
import bloomerangFields from '../../config/fields.bloomerang.json' with { type: 'json' };
import { fieldMappingSchema } from '../../src/core/field-map.ts';
import type {
  Capabilities,
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
} from '../contract.ts';
import { keepOpen } from '../opened.ts';
import { plainConnector } from '../plain.ts';
import { aboutBloomerang } from './about.ts';
import { check } from './check.ts';
import { toCrmFields } from './fields.ts';
import { listGroups, readGroup } from './groups.ts';
import { ROWS_PER_PAGE, readByIds, readFacts, readPages, sampleIds } from './read.ts';
import { canonicalId } from './record.ts';
import { recordUrl } from './record-url.ts';
import { openHttp, openSession } from './session.ts';
import {
  type BloomerangSettings,
  bloomerangGroupSchema,
  bloomerangSettingsSchema,
} from './settings.ts';
import { createWriter, readBack } from './write.ts';

/**
 * The connector for Bloomerang, which is a preview. `README.md` in this folder describes its limits and peculiarities.
 */
export const bloomerangConnector: ConnectorDefinition<BloomerangSettings> = {
  contract: 2,
  kind: 'bloomerang',
  about: aboutBloomerang,
  settingsSchema: bloomerangSettingsSchema,
  groupSchema: bloomerangGroupSchema,
  defaultFields: z.array(fieldMappingSchema).parse(bloomerangFields),
  canonicalId,
  recordUrl,
  refusesPlainHttp: true,
  open: openBloomerangConnector,
  check,
};

const CAPABILITIES: Capabilities = {
  ...plainConnector.capabilities,
  writesTogether: true,
  remote: true,
  groups: ['group'],
  readBatch: ROWS_PER_PAGE,
  writeBatch: { preferred: ROWS_PER_PAGE, bulk: null, max: 10_000 },
};

async function openBloomerangConnector(
  options: ConnectorOptions<BloomerangSettings>,
): Promise<Connector> {
  const http = openHttp(options);
  try {
    const opened = await openSession(options, http);
    const { session, close } = keepOpen(opened, () => http.close());
    const write = createWriter(opened);
    // Without the permission to write, contacts can still be read by ID and erased. The command `forget` needs both
    // reading and erasing. A run reads the custom fields before it buys profiles, so it never buys a profile that it
    // cannot write.
    const unstopped = () => {
      session().writeCheck.requireNotStopped();
      return session();
    };
    return {
      ...plainConnector,
      kind: 'bloomerang',
      capabilities: CAPABILITIES,
      account: opened.account,
      readPages: () => readPages(unstopped()),
      readByIds: async (ids, fields) => readByIds(session(), ids, fields),
      write(changes) {
        unstopped();
        return write(changes);
      },
      readBack: async (writes) => readBack(session(), writes),
      async describeFields() {
        return toCrmFields(await unstopped().refreshCustom(), options.settings.currencyCode);
      },
      listGroups: async () => listGroups(unstopped()),
      readGroup: (selector) => readGroup(unstopped(), selector),
      automaticMarks: () => [{ kind: 'deceased', fields: ['Status'] }],
      sampleIds: async (most) => sampleIds(session(), most),
      readFacts: async () => readFacts(session()),
      erase: async (isErased) => session().writeCheck.erase(isErased),
      close,
    };
  } catch (error) {
    http.close();
    throw error;
  }
}
