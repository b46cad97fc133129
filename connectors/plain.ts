/**
 * Default functions, so that the connector of a simple CRM does not have to implement them. The guide for new
 * connectors starts with this file.
 */
import { ConfigurationError, FatalError, messageOf } from '../src/core/errors.ts';
import type {
  Capabilities,
  Connector,
  ContactsSettings,
  Finding,
  Refusal,
  RefusedWrite,
} from './contract.ts';

const CAPABILITIES: Capabilities = {
  incremental: false,
  reportsRemovals: false,
  createsFields: false,
  remote: false,
  groups: [],
  readBatch: 100,
  writeBatch: { preferred: 100, bulk: null, max: 1000 },
};

/**
 * The default functions of a connector that reads all contacts each time. The connector has no groups and no limits,
 * cannot create fields, and does not have to close anything. Spread the object into your connector, and override the
 * functions that your CRM supports.
 */
export const plainConnector = {
  capabilities: CAPABILITIES,
  createFields: async () => notAsked(),
  listGroups: async () => [],
  readGroup: () => notAsked(),
  readLimits: async () => null,
  finish: async () => {},
  close: async () => {},
} satisfies Partial<Connector>;

function notAsked(): never {
  throw new FatalError('The connector was called for a feature that it does not declare.', {
    code: 'connector_cannot',
  });
}

/**
 * Throws a ConfigurationError if the settings contain a setting that the connector does not support. If the connector
 * ignored the setting, donor-sync would submit excluded contacts.
 */
export function requireKnown(
  contacts: ContactsSettings,
  known: readonly (keyof ContactsSettings)[],
): void {
  const others = Object.entries(contacts).filter(([, value]) => value != null && value !== false);
  const [unknown] = others.find(([name]) => !known.some((each) => each === name)) ?? [];
  if (unknown === undefined) return;
  throw new ConfigurationError(
    `This kind of CRM does not support contacts.${unknown}: remove it from the settings.`,
    { code: 'crm_setting_unknown', details: { setting: `contacts.${unknown}` } },
  );
}

/**
 * The argument `more` contains further information from the CRM. The further information consists of the rejected
 * fields, the cause, and whether the same write may succeed later.
 */
export function refusedWrite(
  id: string,
  code: string,
  message: string,
  more: Partial<Refusal> = {},
): RefusedWrite {
  return { status: 'refused', id, ...refusal(code, message, more) };
}

/** Returns a refusal. The argument `more` has the same form as in `refusedWrite`. */
export function refusal(code: string, message: string, more: Partial<Refusal> = {}): Refusal {
  return { retriable: false, code, message, fields: [], ...more };
}

/** Opens a connector and returns one finding. The finding reports success or the error's message. */
export async function checkByOpening(open: () => Promise<Connector>): Promise<Finding[]> {
  try {
    const { account, close } = await open();
    await close();
    const message = `The CRM can be opened: ${account.name}.`;
    return [{ subject: 'CRM', ok: true, message, fix: null }];
  } catch (error) {
    const fix = 'Follow the advice in the message, then run doctor again.';
    return [{ subject: 'CRM', ok: false, message: messageOf(error), fix }];
  }
}
