/** Every operation, in the order of the guides. */
import { reconcileCredits, showBill, showCredits, showSpending } from './credits.ts';
import type { Operation } from './kit/operation.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';
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
} from './users.ts';

export const OPERATIONS: readonly Operation[] = [
  inviteUser,
  listUsers,
  changeRole,
  renewLink,
  disableUser,
  enableUser,
  signUserOut,
  listUserPasskeys,
  removeUserPasskey,
  removeUser,
  createToken,
  listTokens,
  revokeToken,
  showCredits,
  showSpending,
  showBill,
  reconcileCredits,
];
