/**
 * Lists all forms of the pages. If the server refuses a form, it is shown again with the typed values. If the session
 * has ended, only a form of the kind `save` is sent again after the sign-in.
 */

/** The kind of a form. After a new sign-in, all kinds except the first two need another click. */
export type FormKind =
  /** The form saves a change that the user can reverse. */
  | 'save'
  /** The form changes nothing. */
  | 'look'
  /** The form can cost credits. */
  | 'spends'
  /** The form permanently deletes, revokes or rejects something. */
  | 'erases'
  /** The form restores previous values. */
  | 'undoes'
  /** The form invites users or changes their rights. */
  | 'access'
  /** The form sends a secret. */
  | 'secret';

export interface FormRule {
  action: string;
  /** The path of the page that contains the form. */
  page: string;
  kind: FormKind;
}

const CONTACT = '/clients/:client/contacts/:contact';

export const FORMS: readonly FormRule[] = [
  { action: '/sign-in', page: '/sign-in', kind: 'secret' },
  { action: '/sign-out', page: '/', kind: 'access' },
  { action: '/first-visit', page: '/first-visit', kind: 'secret' },
  { action: '/first-visit/:secret', page: '/first-visit/:secret', kind: 'access' },
  { action: '/join/:secret', page: '/join/:secret', kind: 'secret' },
  { action: '/account/password', page: '/account', kind: 'secret' },
  { action: '/account/proof', page: '/account', kind: 'secret' },
  { action: '/account/passkeys', page: '/account', kind: 'secret' },
  { action: '/account/passkeys/:passkey/remove', page: '/account', kind: 'erases' },
  { action: '/account/sessions/:session/end', page: '/account', kind: 'access' },
  { action: '/account/links/:link/end', page: '/account', kind: 'access' },
  { action: '/link/:secret', page: '/link/:secret', kind: 'access' },
  { action: '/account/sign-out-everywhere', page: '/account', kind: 'access' },
  { action: '/account/mails/:kind', page: '/account', kind: 'save' },
  // The path contains the confirmation code. Therefore, the page is not shown again after a new sign-in.
  { action: '/account/mails-confirmed', page: '/account', kind: 'access' },
  { action: '/stop-mails/:secret', page: '/stop-mails/:secret', kind: 'save' },

  { action: '/users', page: '/users', kind: 'access' },
  { action: '/users/:user/link', page: '/users', kind: 'access' },
  { action: '/users/:user/role', page: '/users', kind: 'access' },
  { action: '/users/:user/disable', page: '/users', kind: 'access' },
  { action: '/users/:user/enable', page: '/users', kind: 'access' },
  { action: '/users/:user/sign-out', page: '/users', kind: 'access' },
  { action: '/users/:user/remove', page: '/users', kind: 'erases' },
  { action: '/users/:user/passkeys/:passkey/remove', page: '/users', kind: 'erases' },
  { action: '/address', page: '/address', kind: 'access' },
  { action: '/confirm-address/:secret', page: '/confirm-address/:secret', kind: 'access' },
  { action: '/tokens', page: '/users', kind: 'access' },
  { action: '/door-tokens', page: '/users', kind: 'access' },
  { action: '/tokens/:token/revoke', page: '/users', kind: 'erases' },

  { action: '/setup', page: '/setup', kind: 'save' },
  { action: '/setup/:client/change', page: '/setup/:client', kind: 'save' },
  { action: '/setup/:client/drop', page: '/setup', kind: 'erases' },
  { action: '/setup/:client/file', page: '/setup/:client/crm', kind: 'save' },
  { action: '/setup/:client/preview', page: '/setup/:client/crm', kind: 'look' },
  { action: '/setup/:client/crm', page: '/setup/:client/crm', kind: 'secret' },
  { action: '/setup/:client/key', page: '/setup/:client/key', kind: 'secret' },
  { action: '/setup/:client/people', page: '/setup/:client/people', kind: 'save' },
  { action: '/setup/:client/fields', page: '/setup/:client/fields', kind: 'save' },
  { action: '/setup/:client/networks', page: '/setup/:client/networks', kind: 'save' },
  // The address of a chat webhook is secret.
  { action: '/setup/:client/schedule', page: '/setup/:client/schedule', kind: 'save' },
  { action: '/setup/:client/plan', page: '/setup/:client/plan', kind: 'spends' },

  { action: '/integrations/:client/sync', page: '/clients/:client', kind: 'spends' },
  { action: '/integrations/:client/accept-match-rate', page: '/clients/:client', kind: 'spends' },
  { action: '/integrations/:client/accept-marks', page: '/clients/:client', kind: 'spends' },
  { action: '/integrations/:client/pause', page: '/clients/:client', kind: 'save' },
  { action: '/integrations/:client/resume', page: '/clients/:client', kind: 'save' },
  { action: '/clients/:client/schedule', page: '/clients/:client/schedule', kind: 'save' },
  { action: '/clients/:client/schedule/pause', page: '/clients/:client/schedule', kind: 'save' },
  { action: '/clients/:client/schedule/resume', page: '/clients/:client/schedule', kind: 'save' },
  { action: '/clients/:client/alerts/test', page: '/clients/:client/alerts', kind: 'look' },
  { action: '/clients/:client/fields/create', page: '/clients/:client/fields', kind: 'save' },
  { action: '/clients/:client/doctor', page: '/clients/:client/doctor', kind: 'look' },
  { action: '/clients/:client/webhooks', page: '/clients/:client/webhooks', kind: 'secret' },
  { action: '/clients/:client/webhooks/rotate', page: '/clients/:client/webhooks', kind: 'secret' },
  { action: '/clients/:client/webhooks/revoke', page: '/clients/:client/webhooks', kind: 'erases' },

  { action: '/clients/:client/contacts', page: '/clients/:client/contacts', kind: 'look' },
  { action: `${CONTACT}/plan`, page: CONTACT, kind: 'look' },
  { action: `${CONTACT}/enhance`, page: CONTACT, kind: 'spends' },
  { action: `${CONTACT}/redelivery/preview`, page: CONTACT, kind: 'look' },
  { action: `${CONTACT}/redelivery`, page: CONTACT, kind: 'undoes' },
  { action: `${CONTACT}/forget/preview`, page: CONTACT, kind: 'look' },
  { action: `${CONTACT}/forget`, page: CONTACT, kind: 'erases' },

  { action: '/runs/:run/stop', page: '/runs/:run', kind: 'save' },
  { action: '/runs/:run/undo/preview', page: '/runs/:run', kind: 'look' },
  { action: '/runs/:run/undo', page: '/runs/:run', kind: 'undoes' },
  { action: '/runs/:run/retry', page: '/runs/:run', kind: 'spends' },

  { action: '/decisions/all/approve', page: '/decisions', kind: 'spends' },
  { action: '/decisions/all/reject', page: '/decisions', kind: 'erases' },
  { action: '/decisions/all/resubmit', page: '/decisions', kind: 'spends' },
  { action: '/decisions/answers/:answer/withdraw', page: '/decisions', kind: 'undoes' },
  { action: '/decisions/approvals/:approval/confirm', page: '/decisions', kind: 'spends' },
  { action: '/decisions/approvals/:approval/refuse', page: '/decisions', kind: 'erases' },
  { action: '/decisions/batches/:id/approve', page: '/decisions/batches/:id', kind: 'spends' },
  { action: '/decisions/batches/:id/reject', page: '/decisions/batches/:id', kind: 'erases' },
  { action: '/decisions/:id/approve', page: '/decisions/:id', kind: 'spends' },
  { action: '/decisions/:id/reject', page: '/decisions/:id', kind: 'erases' },
  { action: '/decisions/:id/resubmit', page: '/decisions/:id', kind: 'spends' },

  { action: '/introductions/:client/csv', page: '/introductions/:client', kind: 'look' },
  {
    action: '/introductions/:client/listed/:contact',
    page: '/introductions/:client',
    kind: 'save',
  },
  {
    action: '/introductions/:client/listed/:contact/remove',
    page: '/introductions/:client',
    kind: 'save',
  },

  { action: '/networks/:client/who', page: '/networks/:client', kind: 'look' },
  { action: '/networks/:client/check', page: '/networks', kind: 'spends' },
  { action: '/networks/:client/repair', page: '/networks', kind: 'spends' },
  { action: '/networks/:client/prospects', page: '/networks/:client', kind: 'spends' },

  { action: '/audit/verify', page: '/audit', kind: 'look' },
];

/** Returns the form with this path, or null if there is none. */
export function findForm(path: string): { kind: FormKind; page: string } | null {
  for (const { action, page, kind } of FORMS) {
    const values = matchPath(action, path);
    if (values === null) continue;
    return { kind, page: page.replace(/:\w+/g, (name) => values.get(name) ?? name) };
  }
  return null;
}

/** True if the form is sent again after a new sign-in. Only harmless forms are sent again. */
export function isSentAgain(kind: FormKind): boolean {
  return kind === 'save' || kind === 'look';
}

/** Returns the parameters of a path, still encoded. Returns null if the path does not match the pattern. */
function matchPath(pattern: string, path: string): ReadonlyMap<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return null;
  const values = new Map<string, string>();
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':') && value !== '') values.set(part, value);
    else if (part !== value) return null;
  }
  return values;
}
