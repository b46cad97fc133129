/**
 * The routes /v1/users, /v1/tokens, /v1/address and /v1/mails: users, their rights, the server's address, and each
 * user's emails.
 */
import { setAddress, showAddress } from '../../operations/address.ts';
import { listUserCrmUsers, unlinkUserCrmUser } from '../../operations/crm-users.ts';
import { confirmEmail, setMail, showMails } from '../../operations/mails.ts';
import { createDoorToken, createToken, listTokens, revokeToken } from '../../operations/tokens.ts';
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
} from '../../operations/users.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function userRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const users = { tag: 'Users' };
  const one = '/v1/users/{user}';
  add(listUsers, { ...users, method: 'get', path: '/v1/users' });
  add(inviteUser, { ...users, method: 'post', path: '/v1/users', status: 201 });
  add(changeRole, { ...users, method: 'put', path: `${one}/role` });
  add(renewLink, { ...users, method: 'post', path: `${one}/link`, status: 201 });
  add(disableUser, { ...users, method: 'post', path: `${one}/disable` });
  add(enableUser, { ...users, method: 'post', path: `${one}/enable` });
  add(signUserOut, { ...users, method: 'post', path: `${one}/sign-out` });
  add(removeUser, { ...users, method: 'delete', path: one });
  add(listUserPasskeys, { ...users, method: 'get', path: `${one}/passkeys` });
  add(removeUserPasskey, { ...users, method: 'delete', path: `${one}/passkeys/{passkey}` });
  add(listUserCrmUsers, { ...users, method: 'get', path: `${one}/crm-users` });
  add(unlinkUserCrmUser, { ...users, method: 'delete', path: `${one}/crm-users/{link}` });
  const address = { tag: 'Address' };
  add(showAddress, { ...address, method: 'get', path: '/v1/address' });
  add(setAddress, { ...address, method: 'put', path: '/v1/address' });
  const mails = { tag: 'Mails' };
  add(showMails, { ...mails, method: 'get', path: '/v1/mails' });
  add(setMail, { ...mails, method: 'put', path: '/v1/mails/{kind}' });
  add(confirmEmail, { ...mails, method: 'post', path: '/v1/mails/confirm' });
  const tokens = { tag: 'Access tokens' };
  add(listTokens, { ...tokens, method: 'get', path: '/v1/tokens' });
  add(createToken, { ...tokens, method: 'post', path: '/v1/tokens', status: 201 });
  add(createDoorToken, {
    ...tokens,
    method: 'post',
    path: '/v1/integrations/{integration}/door-tokens',
    status: 201,
  });
  add(revokeToken, { ...tokens, method: 'delete', path: '/v1/tokens/{token}' });
  return app;
}
