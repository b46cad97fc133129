/** The caller of an operation, and the caller's permissions. */
import type { Actor } from '../../core/actor.ts';
import type { Role } from '../../core/role.ts';
import type { Account } from '../../core/second-person.ts';

export interface Caller {
  /**
   * `machine`: the terminal's user, who needs no role. `person`: a signed-in user, or the first visitor. `token`: an
   * access token, or a browser that signed in with one.
   */
  kind: 'machine' | 'person' | 'token';
  /** The caller's role, or null in the terminal. */
  role: Role | null;
  clients: ReadonlySet<string> | null;
  /** Identifies the caller if a second user is required. Null for a caller without an account. */
  account: Account | null;
  actor: Actor;
  /** True within ten minutes after a proof, and on the server's machine. Defaults to false. */
  isProven?: boolean;
  /** The fingerprint of the user's browser. Omitted for programs. */
  browser?: string;
}
