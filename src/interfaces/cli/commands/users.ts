import type { Command } from 'commander';
import { ROLE_TEXTS, ROLES } from '../../../core/role.ts';
import { setAddress, showAddress } from '../../../operations/address.ts';
import { listUserCrmUsers, unlinkUserCrmUser } from '../../../operations/crm-users.ts';
import {
  createDoorToken,
  createToken,
  listTokens,
  revokeToken,
} from '../../../operations/tokens.ts';
import {
  changeRole,
  disableUser,
  enableUser,
  inviteUser,
  listUserPasskeys,
  listUsers,
  removeUser,
  removeUserPasskey,
  renewLink,
  signUserOut,
} from '../../../operations/users.ts';
import { INVITATION_DAYS } from '../../../people/user-accounts.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const ROLES_LINE = `Roles: ${ROLES.map((role) => `${role} (${ROLE_TEXTS[role]})`).join('; ')}.`;

const USER_EXAMPLES = `
Examples:
  donor-sync users invite --name "Anna Kowalski" --email anna@example.org --role owner
  donor-sync users invite --name Ben --email ben@example.org --role decider --integrations riverside
  donor-sync users list
  donor-sync users role ben@example.org --role viewer --integrations riverside,harbor
  donor-sync users role ben@example.org --role admin --all-clients
  donor-sync users link ben@example.org         a new link: the password was forgotten, or the link expired
  donor-sync users link ben@example.org --out link.txt     writes the link into this new file
  donor-sync users disable ben@example.org      "enable" reverses it
  donor-sync users sign-out ben@example.org
  donor-sync users passkeys list ben@example.org
  donor-sync users crm-users list ben@example.org
  donor-sync users remove ben@example.org

${ROLES_LINE}
An invitation works once, within ${INVITATION_DAYS} days, and is shown once. "link" shows its link on a terminal only;
if the user has already joined, that link works for 15 minutes, and the recipients of alerts are notified. An invited
user has access to all clients unless --integrations names some. "role" keeps the clients unless you name others.`;

const TOKEN_EXAMPLES = `
Examples:
  donor-sync tokens create --role admin --name "Nightly export"
  donor-sync tokens create --role viewer --integrations riverside,harbor --name "Client portal"
  donor-sync tokens create-door riverside --name Salesforce --per-day 100
  donor-sync tokens list
  donor-sync tokens revoke ID

${ROLES_LINE}
A token is shown once, because donor-sync stores only its hash.`;

export function usersCommand(deps: ProductDeps): Command {
  const passkeys = topicCommand(deps, 'passkeys', 'List and remove the passkeys of a user', [
    operationCommand(deps, listUserPasskeys),
    operationCommand(deps, removeUserPasskey),
  ]);
  const crmUsers = topicCommand(deps, 'crm-users', 'List and end links to users of CRMs', [
    operationCommand(deps, listUserCrmUsers),
    operationCommand(deps, unlinkUserCrmUser),
  ]);
  return topicCommand(deps, 'users', 'Invite, list and remove the users', [
    operationCommand(deps, inviteUser),
    operationCommand(deps, listUsers),
    operationCommand(deps, changeRole),
    operationCommand(deps, renewLink, undefined, { letsIn: 'link' }),
    operationCommand(deps, disableUser),
    operationCommand(deps, enableUser),
    operationCommand(deps, signUserOut),
    passkeys,
    crmUsers,
    operationCommand(deps, removeUser),
  ]).addHelpText('after', USER_EXAMPLES);
}

const ADDRESS_EXAMPLES = `
Examples:
  donor-sync address show
  donor-sync address set https://donors.example.org

"set" prints a link. Open it within 15 minutes in a browser on another computer or phone, and confirm there: from then
on, invitations and passkeys use the address. An address in the settings file (server.publicUrl) wins.`;

export function addressCommand(deps: ProductDeps): Command {
  return topicCommand(
    deps,
    'address',
    'Show and set the address under which users reach the server',
    [operationCommand(deps, showAddress), operationCommand(deps, setAddress)],
  ).addHelpText('after', ADDRESS_EXAMPLES);
}

export function tokensCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'tokens', 'Create, list and revoke the access tokens of the HTTP API', [
    operationCommand(deps, createToken),
    operationCommand(deps, createDoorToken),
    operationCommand(deps, listTokens),
    operationCommand(deps, revokeToken),
  ]).addHelpText('after', TOKEN_EXAMPLES);
}
