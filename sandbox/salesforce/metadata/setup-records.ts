/** The records that exist in every org: the org itself, two users and their profiles. */

import { type Database, quoted } from '../core/database.ts';
import { createId } from '../core/ids.ts';
import type { User } from './access.ts';
import type { StoredValue } from './field.ts';

/** The org's id. */
export const ORG_ID = createId('00D', 1);

/** The user with which a client such as donor-sync signs in. */
export const INTEGRATION_USER: User = {
  id: createId('005', 1),
  username: 'integration@riverside.example.org',
  role: 'integration',
};

/** The user who administers the org. */
export const ADMINISTRATOR: User = {
  id: createId('005', 2),
  username: 'admin@riverside.example.org',
  role: 'administrator',
};

/** The user with which rules run. This user has every permission. */
export const SYSTEM: User = { ...ADMINISTRATOR, role: 'system' };

/** The permission set that holds the permissions of the integration user's profile. */
export const INTEGRATION_PERMISSIONS_ID = createId('0PS', 1);

/** The name of the nonprofit that owns this org. */
export const ORG_NAME = 'Riverside Food Bank';

/** The users that can sign in. */
export const USERS: readonly User[] = [INTEGRATION_USER, ADMINISTRATOR];

/** Returns the system values of a new record. `atMs` is its creation time. */
export function systemValues(atMs: number): Record<string, StoredValue> {
  return {
    CreatedDate: atMs,
    CreatedById: ADMINISTRATOR.id,
    LastModifiedDate: atMs,
    LastModifiedById: ADMINISTRATOR.id,
    SystemModstamp: atMs,
  };
}

/** The record types of the Nonprofit Success Pack. All users can see that they exist. */
const SUCCESS_PACK_RECORD_TYPES = [
  { name: 'Household Account', developerName: 'HH_Account' },
  { name: 'Organization', developerName: 'Organization' },
];

/** Writes the records. The database must not contain them yet. */
export function fillSetup(db: Database, atMs: number, hasSuccessPack: boolean): void {
  const insert = (
    type: string,
    number: number,
    prefix: string,
    values: Record<string, StoredValue>,
  ) => {
    const row = { rowid: number, Id: createId(prefix, number), ...systemValues(atMs), ...values };
    const names = Object.keys(row).map(quoted).join(', ');
    const marks = Object.keys(row)
      .map(() => '?')
      .join(', ');
    db.prepare(`insert into ${quoted(type)} (${names}) values (${marks})`).run(
      ...Object.values(row),
    );
  };
  insert('Organization', 1, '00D', {
    Name: ORG_NAME,
    OrganizationType: 'Enterprise Edition',
    InstanceName: 'USA1S',
    ...LOCALE,
  });
  const recordTypes = hasSuccessPack ? SUCCESS_PACK_RECORD_TYPES : [];
  recordTypes.forEach(({ name, developerName }, index) => {
    insert('RecordType', index + 1, '012', {
      Name: name,
      DeveloperName: developerName,
      SobjectType: 'Account',
      IsActive: 1,
    });
  });
  const people = [
    {
      user: INTEGRATION_USER,
      first: 'Donor',
      last: 'Sync',
      profile: 'Minimum Access - API Only Integrations',
    },
    { user: ADMINISTRATOR, first: 'Ada', last: 'Ministrator', profile: 'System Administrator' },
  ];
  people.forEach(({ user, first, last, profile }, index) => {
    const number = index + 1;
    insert('Profile', number, '00e', { Name: profile });
    insert('User', number, '005', {
      Username: user.username,
      FirstName: first,
      LastName: last,
      Alias: first.toLowerCase().slice(0, 8),
      Email: user.username,
      ProfileId: createId('00e', number),
      UserType: 'Standard',
      IsActive: 1,
      LocaleSidKey: 'en_US',
      ...LOCALE,
    });
    // Salesforce stores each profile's permissions in a separate permission set.
    insert('PermissionSet', number, '0PS', {
      Name: `X00e${number}`,
      Label: profile,
      ProfileId: createId('00e', number),
      IsOwnedByProfile: 1,
    });
    insert('PermissionSetAssignment', number, '0Pa', {
      PermissionSetId: createId('0PS', number),
      AssigneeId: user.id,
    });
  });
}

const LOCALE = { TimeZoneSidKey: 'Etc/UTC', LanguageLocaleKey: 'en_US' };
