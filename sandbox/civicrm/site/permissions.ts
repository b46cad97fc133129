/** The permissions that the API key's user can have, with CiviCRM's names. */

export const PERMISSIONS = [
  'authenticate with api key',
  'access CiviCRM',
  'access AJAX API',
  'view all contacts',
  'edit all contacts',
  'access deleted contacts',
  'access all custom data',
  'view all activities',
  'administer CiviCRM',
  'view debug output',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** The user's current permissions, and the contacts that an access control list hides. */
export interface Permissions {
  has(permission: Permission): boolean;
  withdraw(permissions: readonly Permission[]): void;
  hide(ids: readonly number[], isHidden: boolean): void;
  isHidden(id: number): boolean;
}

/** Creates the user's permissions. Ordinary users do not have `view debug output`, so they do not see error texts. */
export function createPermissions(
  initiallyWithdrawn: readonly Permission[] = ['view debug output'],
): Permissions {
  let withdrawn = new Set<Permission>(initiallyWithdrawn);
  const hidden = new Set<number>();
  return {
    has: (permission) => !withdrawn.has(permission),
    withdraw(permissions) {
      withdrawn = new Set(permissions);
    },
    hide(ids, isHidden) {
      for (const id of ids) {
        if (isHidden) hidden.add(id);
        else hidden.delete(id);
      }
    },
    isHidden: (id) => hidden.has(id),
  };
}
