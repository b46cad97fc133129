/** The data that middleware stores on a request. */
import type { HttpBindings } from '@hono/node-server';
import type { BloomerangFault } from './faults.ts';

export interface BloomerangEnv {
  Bindings: HttpBindings;
  Variables: {
    fault: BloomerangFault | undefined;
    /** The name of the user to whom the request's key or token belongs. */
    user: string;
  };
}
