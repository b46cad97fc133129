import { ConfigurationError } from '../../src/core/errors.ts';
import type { IdentitySource } from '../contract.ts';
import type { SalesforceApi } from './api.ts';
import { describeObject, type ObjectDescription } from './describe.ts';
import type { ColumnReader } from './query.ts';
import type { SalesforceSettings } from './settings.ts';
import { hasSuccessPack, PRIMARY_AFFILIATION } from './success-pack.ts';
import { blankToNull } from './values.ts';

/** The source of a contact's employer. Relations are a separate source. */
export interface EmployerShape {
  /** The columns to select. */
  columns: readonly string[];
  sources: readonly IdentitySource[];
  /** The source of the columns, or null if no source can be read. */
  source: string | null;
  /** Returns the employer's name. Null without an employer, undefined for an unreadable name. */
  getName(read: ColumnReader): string | null | undefined;
}

export const AFFILIATION_NAME = 'npsp__Primary_Affiliation__r.Name';
export const ACCOUNT_NAME = 'Account.Name';

/** Blank for organisations. */
const HOUSEHOLD_MARK = 'npe01__SYSTEM_AccountType__c';
const ORGANIZATION = 'Organization';

/**
 * Returns the shape of employers. In the Nonprofit Success Pack, the account is the household. A person account is the
 * person. Neither is therefore ever used as an employer.
 */
export async function shapeEmployer(
  api: SalesforceApi,
  description: ObjectDescription,
  employer: SalesforceSettings['employer'],
): Promise<EmployerShape> {
  const hasAffiliation = description.fields.has(PRIMARY_AFFILIATION);
  if (employer === 'primaryAffiliation' && !hasAffiliation) {
    const message = `crm.employer is "primaryAffiliation", but the integration's user cannot see the field ${PRIMARY_AFFILIATION} on Contact: grant access to it, or write "account".`;
    throw new ConfigurationError(message, { code: 'crm_field_missing' });
  }
  if (employer !== 'account' && hasAffiliation) return AFFILIATION;
  const account = await shapeAccount(api, description);
  if (employer === 'account' || !hasSuccessPack(description)) return account;
  // A hidden affiliation is replaced by the account, if possible.
  return { ...account, sources: [source(AFFILIATION_NAME, false), ...account.sources] };
}

const AFFILIATION: EmployerShape = {
  columns: [PRIMARY_AFFILIATION, AFFILIATION_NAME],
  sources: [source(AFFILIATION_NAME, true)],
  source: AFFILIATION_NAME,
  getName: (read) => nameBehind(read, PRIMARY_AFFILIATION, AFFILIATION_NAME),
};

async function shapeAccount(
  api: SalesforceApi,
  description: ObjectDescription,
): Promise<EmployerShape> {
  const { fields } = description;
  if (!fields.has('AccountId')) return HIDDEN_ACCOUNT;
  const columns = ['AccountId', ACCOUNT_NAME];
  const hasPersons = fields.has('IsPersonAccount');
  if (hasPersons) columns.push('IsPersonAccount');
  const mark = `Account.${HOUSEHOLD_MARK}`;
  const hasHouseholds = hasSuccessPack(description);
  if (hasHouseholds) {
    const account = await describeObject(api, 'Account');
    // Without the mark, a household looks like an employer.
    if (!account.fields.has(HOUSEHOLD_MARK)) return HIDDEN_ACCOUNT;
    columns.push(mark);
  }
  return {
    columns,
    sources: [source(ACCOUNT_NAME, true)],
    source: ACCOUNT_NAME,
    getName(read) {
      if (hasPersons && String(read('IsPersonAccount')) === 'true') return null;
      const kind = hasHouseholds ? blankToNull(read(mark)) : null;
      const isHousehold = kind !== null && kind !== ORGANIZATION;
      return isHousehold ? null : nameBehind(read, 'AccountId', ACCOUNT_NAME);
    },
  };
}

const HIDDEN_ACCOUNT: EmployerShape = {
  columns: [],
  sources: [source(ACCOUNT_NAME, false)],
  source: null,
  getName: () => null,
};

/**
 * Returns the name of the account in a lookup field. Every account has a name. A set lookup without a name is hidden.
 */
function nameBehind(
  read: ColumnReader,
  lookup: string,
  nameColumn: string,
): string | null | undefined {
  const name = blankToNull(read(nameColumn));
  if (name !== null) return name;
  const target = read(lookup);
  return target === null || target === '' ? null : undefined;
}

function source(name: string, readable: boolean): IdentitySource {
  return { name, part: 'employers', readable };
}
