/** The caller of an operation, and the caller's rights. */
import type { Actor } from '../../core/actor.ts';
import type { Role } from '../../core/role.ts';
import type { Account } from '../../core/second-person.ts';

export interface Caller {
  /**
   * The kind of caller. `machine`: the user of the terminal, who needs no role. `person`: a signed-in user, or the
   * first visitor. `token`: an access token, or a browser that signed in with a token.
   */
  kind: 'machine' | 'person' | 'token';
  /** The caller's role, or null in the terminal. */
  role: Role | null;
  clients: ReadonlySet<string> | null;
  /**
   * The caller's account, which distinguishes the first user from the second user. Null for a caller without an
   * account.
   */
  account: Account | null;
  actor: Actor;
  /**
   * True if the user has proved their identity within the last ten minutes. Always true on the server's own machine.
   * Defaults to false.
   */
  isProven?: boolean;
  /** The fingerprint of the user's browser. Omitted for programs. */
  browser?: string;
}
