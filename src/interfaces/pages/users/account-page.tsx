import { isoTime } from '../../../core/clock.ts';
import { ROLE_TEXTS } from '../../../core/role.ts';
import type { LinkedCrmUser } from '../../../operations/doors/link.ts';
import type { MailsView } from '../../../operations/mails.ts';
import type { PasskeyOffer } from '../../../people/sign-in/passkeys.ts';
import type { SessionRecord } from '../../../people/statements/sessions.ts';
import type { PasskeyView } from '../../../people/user-accounts.ts';
import { Layout, may, render, type Viewer } from '../frame/layout.tsx';
import { ConfirmDialog, Fact, TableCell, TableHead, Timestamp } from '../frame/parts.tsx';
import { AccountMails } from './account-mails.tsx';
import { CrmUsers } from './crm-user-page.tsx';
import { NewPassword } from './new-password.tsx';
import { PasskeyForm } from './passkey-parts.tsx';

export interface AccountView {
  /** The user's email address, or null for a token. */
  email: string | null;
  hasPassword: boolean;
  sessions: readonly (SessionRecord & { isThis: boolean })[];
  /** The user's passkeys, or null if the caller is not a user. */
  passkeys: AccountPasskeys | null;
  /** The CRM users who have this user's rights. */
  links: readonly LinkedCrmUser[];
  /** The user's monthly emails, or null if the caller is not a user. */
  mails: MailsView | null;
  /** The reason why the password or a passkey was not changed. */
  problem: Problem | null;
}

/** A problem, and the part of the page to which it belongs. */
export interface Problem {
  about: 'password' | 'passkeys';
  text: string;
}

export interface AccountPasskeys {
  own: readonly PasskeyView[];
  /** True if the user has recently confirmed their identity in this session, so that they can remove a passkey. */
  canRemove: boolean;
  /** The public address, if browsers cannot create passkeys for it. Null if they can. */
  impossibleAt: string | null;
  /** False while only its own computer can reach the server. */
  isFinal: boolean;
  /** The request to add a passkey, or null until the user confirms their identity. */
  add: PasskeyOffer | null;
  /** The request to confirm the identity with a passkey, or null if there is none. */
  prove: PasskeyOffer | null;
  /** The default name of a new passkey. */
  newName: string;
}

/** Renders the user's own account. */
export function renderAccount(viewer: Viewer, view: AccountView, note: string | null) {
  const { email, hasPassword, sessions, passkeys, links, mails, problem } = view;
  const { principal } = viewer;
  if (principal === null) throw new Error('A page of an account needs one who is signed in.');
  const { name, role, integrations } = principal;
  return render(
    <Layout title="My account" viewer={viewer} note={note} assets={['passkeyScript']}>
      <section class="card" aria-labelledby="account-title">
        <h1 id="account-title">{name ?? 'First visit'}</h1>
        <dl class="facts">
          {email !== null && <Fact name="E-mail">{email}</Fact>}
          <Fact name="Role">
            {role}
            <span class="quiet detail">{ROLE_TEXTS[role]}</span>
          </Fact>
          <Fact name="Reaches">{integrations === null ? 'all' : [...integrations].join(', ')}</Fact>
        </dl>
      </section>
      {passkeys !== null && (
        <Passkeys
          viewer={viewer}
          passkeys={passkeys}
          hasPassword={hasPassword}
          email={email ?? ''}
          problem={textFor(problem, 'passkeys')}
        />
      )}
      {hasPassword && <PasswordForm email={email ?? ''} problem={textFor(problem, 'password')} />}
      {mails !== null && <AccountMails mails={mails} />}
      {links.length > 0 && <CrmUsers viewer={viewer} links={links} />}
      {sessions.length > 0 && <Sessions viewer={viewer} sessions={sessions} />}
    </Layout>,
  );
}

function textFor(problem: Problem | null, about: Problem['about']): string | null {
  return problem?.about === about ? problem.text : null;
}

function Passkeys(props: {
  viewer: Viewer;
  passkeys: AccountPasskeys;
  hasPassword: boolean;
  email: string;
  problem: string | null;
}) {
  const { viewer, passkeys, hasPassword, email, problem } = props;
  const { own, impossibleAt, isFinal, canRemove, add, newName } = passkeys;
  return (
    <section class="card" id="passkeys" aria-labelledby="passkeys-title">
      <h2 id="passkeys-title">Passkeys</h2>
      <p class="quiet">
        With a passkey, you sign in with the fingerprint, face or PIN that unlocks your device, or
        with a security key. You then don't need a password.
      </p>
      {problem !== null && (
        <p class="refused" role="alert">
          {problem}
        </p>
      )}
      {own.length > 0 && <PasskeyTable viewer={viewer} own={own} canRemove={canRemove} />}
      {impossibleAt !== null && !isFinal && (
        <p>
          Passkeys belong to a host name, and this server does not have its final host name yet: it
          can be reached only from this computer. An owner sets the address under{' '}
          {may(viewer, 'owner') ? <a href="/address">Users, Address</a> : 'Users, Address'}. Then
          you can add passkeys here.
        </p>
      )}
      {impossibleAt !== null && isFinal && (
        <p>
          Passkeys do not work here: browsers create them only for host names, and this service is
          known as <code>{impossibleAt}</code>. An owner can change that under <em>Users</em>, or,
          if the settings name the address, the operator. It must start with <code>https://</code>{' '}
          and a name, or, on your own machine, with <code>http://localhost</code>.
        </p>
      )}
      {impossibleAt === null && add !== null && (
        <PasskeyForm
          offer={add}
          kind="create"
          action="/account/passkeys"
          page="/account"
          label="Add a passkey"
        >
          <label for="passkey-name">Name of the new passkey</label>
          <input
            id="passkey-name"
            name="name"
            value={newName}
            maxlength={60}
            autocomplete="off"
            required
          />
        </PasskeyForm>
      )}
      {!canRemove && (impossibleAt === null || own.length > 0) && (
        <Proof prove={passkeys.prove} hasPassword={hasPassword} email={email} />
      )}
    </section>
  );
}

function PasskeyTable(props: { viewer: Viewer; own: readonly PasskeyView[]; canRemove: boolean }) {
  const { viewer, own, canRemove } = props;
  return (
    <table class="stacks">
      <caption class="hidden">Passkeys</caption>
      <TableHead
        texts={[
          ...['Name', 'Made', 'Last used'],
          ...(canRemove ? [<span class="hidden">Remove</span>] : []),
        ]}
      />
      <tbody>
        {own.map(({ id, name, createdAt, lastUsedAt }) => (
          <tr>
            <th scope="row">{name}</th>
            <TableCell label="Made">
              <Timestamp at={createdAt} now={viewer.now} />
            </TableCell>
            <TableCell label="Last used">
              {lastUsedAt === null ? 'never' : <Timestamp at={lastUsedAt} now={viewer.now} />}
            </TableCell>
            {canRemove && (
              <td class="action">
                <ConfirmDialog
                  id={`passkey-${id}`}
                  label="Remove"
                  title={`Remove the passkey "${name}"?`}
                  action={`/account/passkeys/${id}/remove`}
                  answer="Remove"
                >
                  Nobody can sign in with this passkey any more, and you will be signed out
                  everywhere else. Also delete it from the device.
                </ConfirmDialog>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders the proof of identity. Users need it before they can change their sign-in methods. */
function Proof(props: { prove: PasskeyOffer | null; hasPassword: boolean; email: string }) {
  const { prove, hasPassword, email } = props;
  return (
    <>
      <h3>Confirm your identity first</h3>
      <p class="quiet">
        You signed in more than ten minutes ago. After you confirm your identity, you can add and
        remove passkeys for ten minutes.
      </p>
      {prove !== null && (
        <PasskeyForm
          offer={prove}
          kind="get"
          action="/account/proof"
          page="/account"
          label="Use a passkey"
        />
      )}
      {hasPassword && (
        <form class="fields" method="post" action="/account/proof">
          <input type="hidden" name="username" autocomplete="username" value={email} />
          <label for="proof">Your password</label>
          <input
            id="proof"
            name="password"
            type="password"
            required
            autocomplete="current-password"
          />
          <button type="submit" class="button">
            Confirm your identity
          </button>
        </form>
      )}
      {prove === null && !hasPassword && (
        <form method="post" action="/sign-out">
          <button type="submit" class="button">
            Sign out, and in again
          </button>
        </form>
      )}
    </>
  );
}

function PasswordForm({ email, problem }: { email: string; problem: string | null }) {
  return (
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Change the password</h2>
      <form class="fields" method="post" action="/account/password">
        {problem !== null && (
          <p class="refused" role="alert" id="refused">
            {problem}
          </p>
        )}
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <label for="old">Current password</label>
        <input id="old" name="old" type="password" autocomplete="current-password" required />
        <NewPassword
          label="New password"
          hint=". You are signed out everywhere else."
          hasProblem={problem !== null}
        />
        <button type="submit" class="button primary">
          Change the password
        </button>
      </form>
    </section>
  );
}

function Sessions({ viewer, sessions }: { viewer: Viewer; sessions: AccountView['sessions'] }) {
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">Where you are signed in</h2>
      <table class="stacks">
        <caption class="hidden">Sessions</caption>
        <TableHead texts={['Browser', 'Signed in', 'Last used', <span class="hidden">End</span>]} />
        <tbody>
          {sessions.map(({ id, browser, begunAt, seenAt, isThis }) => (
            <tr>
              <th scope="row">
                {browser ?? 'Another program'}
                {isThis && <span class="quiet"> (this one)</span>}
              </th>
              <TableCell label="Signed in">
                <Timestamp at={isoTime(begunAt)} now={viewer.now} />
              </TableCell>
              <TableCell label="Last used">
                <Timestamp at={isoTime(seenAt)} now={viewer.now} />
              </TableCell>
              <td class="action">
                {!isThis && (
                  <form method="post" action={`/account/sessions/${id}/end`}>
                    <button type="submit" class="button small">
                      End<span class="hidden"> the session of {browser ?? 'another program'}</span>
                    </button>
                  </form>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <form class="actions" method="post" action="/account/sign-out-everywhere">
        <button type="submit" class="button">
          Sign out everywhere
        </button>
      </form>
    </section>
  );
}
