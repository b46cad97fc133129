import type { DoorTokenRecord } from '../../../clients/statements/door-tokens.ts';
import { isoTime } from '../../../core/clock.ts';
import { formatCount } from '../../../core/quantities.ts';
import { ROLE_TEXTS, ROLES } from '../../../core/role.ts';
import { DEFAULT_PER_DAY, MAX_PER_DAY } from '../../../operations/tokens.ts';
import type { ServerAddress } from '../../../people/server-address.ts';
import type { AccessTokenRecord } from '../../../people/statements/access.ts';
import { type PersonView, waysText } from '../../../people/user-accounts.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import {
  ConfirmDialog,
  Dialog,
  type IconKind,
  Status,
  TableCell,
  TableHead,
  Timestamp,
} from '../frame/parts.tsx';
import { type SortableColumn, SortableHead } from '../frame/sortable-head.tsx';
import { BOX } from './forms.ts';
import type { UserOrder } from './user-order.ts';

/** A secret that only this response shows. */
export interface ShownOnce {
  what: 'link' | 'token';
  /** The name of the user or the token. */
  name: string;
  secret: string;
}

interface Named {
  id: string;
  name: string;
}

export interface PeopleView {
  people: readonly PersonView[];
  /** The order of `people`. */
  sort: UserOrder;
  tokens: readonly AccessTokenRecord[];
  doorTokens: readonly DoorTokenRecord[];
  integrations: readonly Named[];
  shown: ShownOnce | null;
  /** The address at which users reach the server. */
  address: ServerAddress;
}

/** Renders the users and access tokens, and the actions that the user can carry out on them. */
export function renderUsers(viewer: Viewer, view: PeopleView, note: string | null) {
  const { people, tokens, integrations, shown, address } = view;
  return render(
    <Layout area="users" title="Users" viewer={viewer} note={note}>
      {shown !== null && <Shown shown={shown} />}
      <section class="card" aria-labelledby="users-title">
        <h1 id="users-title">Users</h1>
        <h2 class="quiet">Users and their roles</h2>
        {people.length === 0 ? (
          <p class="empty">There are no users yet. Invite the first user as an owner.</p>
        ) : (
          <PeopleTable viewer={viewer} view={view} />
        )}
      </section>
      <section class="card" aria-labelledby="invite-title">
        <h2 id="invite-title">Invite a user</h2>
        <AddressLine address={address} />
        {address.from !== 'default' && (
          <form class="fields" method="post" action="/users">
            <label for="name">Name</label>
            <input id="name" name="name" required maxlength={100} autocomplete="off" />
            <label for="email">E-mail</label>
            <input
              id="email"
              name="email"
              type="email"
              required
              maxlength={254}
              autocomplete="off"
            />
            <RightsFields id="invite" integrations={integrations} />
            <p class="quiet">
              You get a link to send to the user. The link works once, within seven days.
            </p>
            <button type="submit" class="button primary">
              Invite
            </button>
          </form>
        )}
      </section>
      <section class="card" id="tokens" aria-labelledby="tokens-title">
        <h2 id="tokens-title">Access tokens</h2>
        <p class="quiet">
          For programs that use the HTTP API. Each token is shown once, when you create it.
        </p>
        {tokens.length > 0 && <TokenTable viewer={viewer} view={view} />}
        <form class="fields" method="post" action="/tokens">
          <label for="token-name">Name</label>
          <input id="token-name" name="name" required maxlength={100} autocomplete="off" />
          <RightsFields id="token" integrations={integrations} />
          <button type="submit" class="button">
            Create token
          </button>
        </form>
      </section>
      <section class="card" id="door-tokens" aria-labelledby="door-tokens-title">
        <h2 id="door-tokens-title">Door tokens</h2>
        <p class="quiet">
          For pages in a client's CRM. With such a token, a program can only read the status of
          individual contacts and request their enhancement. Each door token is shown once, when you
          create it.
        </p>
        {view.doorTokens.length > 0 && <DoorTokenTable viewer={viewer} view={view} />}
        {integrations.length > 0 && (
          <form class="fields" method="post" action="/door-tokens">
            <label for="door-name">Name</label>
            <input id="door-name" name="name" required maxlength={100} autocomplete="off" />
            <label for="door-client">Client</label>
            <select id="door-client" name="integration">
              {integrations.map(({ id, name }) => (
                <option value={id}>{name}</option>
              ))}
            </select>
            <label for="door-per-day">Contacts a day</label>
            <input
              id="door-per-day"
              name="perDay"
              type="number"
              required
              min={1}
              max={MAX_PER_DAY}
              value={DEFAULT_PER_DAY}
            />
            <button type="submit" class="button">
              Create door token
            </button>
          </form>
        )}
      </section>
    </Layout>,
  );
}

/** Renders the address that invitation links contain. */
function AddressLine({ address: { url, from } }: { address: ServerAddress }) {
  if (from === 'default') {
    return (
      <p>
        <Status kind="attention" word="Works on this computer only" />{' '}
        <span class="quiet">
          A link would not work for your colleagues. <a href="/address">Set the address</a> at which
          they reach the server first.
        </span>
      </p>
    );
  }
  return (
    <p class="quiet">
      Links lead to {url}. <a href="/address">Address</a>
    </p>
  );
}

function Shown({ shown: { what, name, secret } }: { shown: ShownOnce }) {
  return (
    <section class="card" aria-labelledby="shown-title">
      <h2 id="shown-title">{what === 'link' ? `The link for ${name}` : `The token "${name}"`}</h2>
      <p>
        <label class="hidden" for="shown-secret">
          {what === 'link' ? 'Link' : 'Token'}
        </label>
        <input id="shown-secret" class="secret" readonly value={secret} />
      </p>
      <p class="quiet">
        {what === 'link'
          ? 'Send it to this user only. It will not be shown again and works once within seven days.'
          : 'Save it now: it will not be shown again.'}
      </p>
    </section>
  );
}

const STATUSES: Readonly<Record<PersonView['status'], { kind: IconKind; word: string }>> = {
  active: { kind: 'well', word: 'Active' },
  invited: { kind: 'patience', word: 'Invited' },
  expired: { kind: 'attention', word: 'Link expired' },
  disabled: { kind: 'idle', word: 'Disabled' },
};

const COLUMNS: readonly SortableColumn<UserOrder>[] = [
  { text: 'Name', orders: { ascending: 'name', descending: 'name-backwards' } },
  { text: 'E-mail' },
  { text: 'Role', orders: { descending: 'most-rights', ascending: 'fewest-rights' } },
  ...['Reaches', 'Signs in by', 'Status'].map((text) => ({ text })),
  { text: 'Last seen', orders: { descending: 'seen-last', ascending: 'seen-first' } },
  { text: <span class="hidden">Change</span> },
];

function PeopleTable({ viewer, view }: { viewer: Viewer; view: PeopleView }) {
  return (
    <table class="stacks">
      <caption class="hidden">Users and their rights</caption>
      <SortableHead columns={COLUMNS} order={view.sort} hrefOf={(sort) => `/users?sort=${sort}`} />
      <tbody>
        {view.people.map((person) => (
          <PersonRow key={person.id} person={person} viewer={viewer} view={view} />
        ))}
      </tbody>
    </table>
  );
}

function PersonRow(props: { person: PersonView; viewer: Viewer; view: PeopleView }) {
  const { person, viewer, view } = props;
  const { id, name, email, role, integrations, status, seenAt } = person;
  return (
    <tr id={`person_${id}`}>
      <th scope="row">{name}</th>
      <TableCell label="E-mail">{email}</TableCell>
      <TableCell label="Role">{role}</TableCell>
      <TableCell label="Reaches">{accessText(integrations, view.integrations)}</TableCell>
      <TableCell label="Signs in by">{waysText(person.signsInBy)}</TableCell>
      <TableCell label="Status">
        <Status {...STATUSES[status]} />
      </TableCell>
      <TableCell label="Last seen">
        {seenAt === null ? 'never' : <Timestamp at={seenAt} now={viewer.now} />}
      </TableCell>
      <td class="action">
        <PersonActions person={person} view={view} />
      </td>
    </tr>
  );
}

function PersonActions({ person, view }: { person: PersonView; view: PeopleView }) {
  const { id, name, status } = person;
  const path = `/users/${id}`;
  const isDisabled = status === 'disabled';
  return (
    <>
      <button type="button" class="button small" id={`${id}-change`} popovertarget={`${id}-dialog`}>
        Change<span class="hidden"> {name}</span>
      </button>
      <Dialog id={`${id}-dialog`} title={name}>
        <form class="fields" method="post" action={`${path}/role`}>
          <RightsFields id={id} integrations={view.integrations} rights={person} />
          <button type="submit" class="button primary">
            Save rights
          </button>
        </form>
        {person.signsInBy.passkeys.length > 0 && (
          <ul aria-label={`Passkeys of ${name}`}>
            {person.signsInBy.passkeys.map((passkey) => (
              <li class="row actions">
                <span>
                  <span class="quiet">Passkey</span> {passkey.name}
                </span>
                <ConfirmDialog
                  id={`passkey-${passkey.id}`}
                  label="Remove passkey"
                  title={`Remove the passkey "${passkey.name}" of ${name}?`}
                  action={`${path}/passkeys/${passkey.id}/remove`}
                  answer="Remove passkey"
                >
                  For a lost device: nobody can sign in with it any more, and {name} is signed out
                  everywhere.
                </ConfirmDialog>
              </li>
            ))}
          </ul>
        )}
        <div class="row actions">
          <Act path={`${path}/link`} label="New link" />
          <Act path={`${path}/sign-out`} label="Sign out everywhere" />
          <Act
            path={`${path}/${isDisabled ? 'enable' : 'disable'}`}
            label={isDisabled ? 'Enable' : 'Disable'}
          />
          <ConfirmDialog
            id={`${id}-remove`}
            label="Remove"
            title={`Permanently remove ${name}?`}
            action={`${path}/remove`}
            answer="Remove user"
          >
            Name, address, password and passkeys are deleted, and all sessions end. The audit keeps
            what this user did.
          </ConfirmDialog>
        </div>
      </Dialog>
    </>
  );
}

function Act({ path, label }: { path: string; label: string }) {
  return (
    <form method="post" action={path}>
      <button type="submit" class="button">
        {label}
      </button>
    </form>
  );
}

function RightsFields(props: {
  /** The prefix of this part's field names on the page. */
  id: string;
  integrations: readonly Named[];
  rights?: Pick<PersonView, 'role' | 'integrations'>;
}) {
  const { id, integrations, rights = { role: 'viewer', integrations: null } } = props;
  const isAll = rights.integrations === null;
  return (
    <>
      <label for={`${id}-role`}>Role</label>
      <select id={`${id}-role`} name="role">
        {ROLES.map((role) => (
          <option value={role} selected={role === rights.role}>
            {role}: {ROLE_TEXTS[role]}
          </option>
        ))}
      </select>
      <fieldset>
        <legend>Access to clients</legend>
        <Choice type="radio" name="reach" value="all" isOn={isAll}>
          All clients, including future ones
        </Choice>
        <Choice type="radio" name="reach" value="some" isOn={!isAll}>
          Only these clients
        </Choice>
        {integrations.length > MAX_BOXES ? (
          <Ids id={id} ids={rights.integrations ?? []} />
        ) : (
          <div class="boxes">
            {integrations.map((one) => (
              <Choice
                type="checkbox"
                name={BOX + one.id}
                value="on"
                isOn={rights.integrations?.includes(one.id) ?? false}
              >
                {one.name}
              </Choice>
            ))}
          </div>
        )}
      </fieldset>
    </>
  );
}

/** The maximum number of checkboxes. A longer list would make the page unreadable. */
const MAX_BOXES = 60;

function Ids({ id, ids }: { id: string; ids: readonly string[] }) {
  return (
    <>
      <label class="hidden" for={`${id}-ids`}>
        IDs of the clients
      </label>
      <textarea id={`${id}-ids`} name="ids" rows={3} placeholder="Their IDs, separated by commas">
        {ids.join(', ')}
      </textarea>
    </>
  );
}

function Choice(props: {
  type: 'radio' | 'checkbox';
  name: string;
  value: string;
  isOn: boolean;
  children?: string;
}) {
  const { type, name, value, isOn, children } = props;
  return (
    <label class="box">
      <input type={type} name={name} value={value} checked={isOn} />
      {children}
    </label>
  );
}

function TokenTable({ viewer, view }: { viewer: Viewer; view: PeopleView }) {
  return (
    <table class="stacks">
      <caption class="hidden">Access tokens</caption>
      <TableHead
        texts={[...['Name', 'Role', 'Reaches', 'Last used'], <span class="hidden">Revoke</span>]}
      />
      <tbody>
        {view.tokens.map(({ id, name, role, integrations, lastUsedAt }) => (
          <tr>
            <th scope="row">{name}</th>
            <TableCell label="Role">{role}</TableCell>
            <TableCell label="Reaches">{accessText(integrations, view.integrations)}</TableCell>
            <TableCell label="Last used">
              {lastUsedAt === null ? (
                'never'
              ) : (
                <Timestamp at={isoTime(lastUsedAt)} now={viewer.now} />
              )}
            </TableCell>
            <td class="action">
              <ConfirmDialog
                id={`token-${id}`}
                label="Revoke"
                title={`Revoke the token "${name}"?`}
                action={`/tokens/${id}/revoke`}
                answer="Revoke token"
              >
                Requests that use this token are refused from now on, and browsers that signed in
                with it are signed out.
              </ConfirmDialog>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DoorTokenTable({ viewer, view }: { viewer: Viewer; view: PeopleView }) {
  return (
    <table class="stacks">
      <caption class="hidden">Door tokens</caption>
      <TableHead
        texts={[
          ...['Name', 'Client', 'Contacts a day', 'Last used'],
          <span class="hidden">Revoke</span>,
        ]}
      />
      <tbody>
        {view.doorTokens.map(({ id, name, integrationId, perDay, lastUsedAt }) => (
          <tr>
            <th scope="row">{name}</th>
            <TableCell label="Client">{accessText([integrationId], view.integrations)}</TableCell>
            <TableCell label="Contacts a day">{formatCount(perDay)}</TableCell>
            <TableCell label="Last used">
              {lastUsedAt === null ? (
                'never'
              ) : (
                <Timestamp at={isoTime(lastUsedAt)} now={viewer.now} />
              )}
            </TableCell>
            <td class="action">
              <ConfirmDialog
                id={`token-${id}`}
                label="Revoke"
                title={`Revoke the door token "${name}"?`}
                action={`/tokens/${id}/revoke`}
                answer="Revoke token"
              >
                Requests from CRM pages that use this token are refused from now on.
              </ConfirmDialog>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The maximum number of clients that the page lists by name for each user. */
const MAX_NAMED = 5;

function accessText(ids: readonly string[] | null, integrations: readonly Named[]): string {
  if (ids === null) return 'all';
  const names = ids
    .slice(0, MAX_NAMED)
    .map((id) => integrations.find((one) => one.id === id)?.name ?? id);
  const more = ids.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
