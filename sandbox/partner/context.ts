/** What a request carries on its way through the service, and the router that every area uses. */

import type { HttpBindings } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerFault } from './faults.ts';
import type { ApiKey } from './keys.ts';
import { answerValidationErrors } from './validation.ts';

/** The Hono environment of the service. */
export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    fault: PartnerFault | undefined;
    /** Whose request it is; set by authentication. */
    key: ApiKey;
    /** The parsed body; undefined where there is none. */
    body: unknown;
    /** Credits taken for this request: as many items are paid for. */
    charged: number;
    /** Set by a handler that did less than was paid for; the difference is refunded. */
    processed: number | undefined;
  };
}

/** A router whose requests are validated in the manner of section 2.8 of the service document. */
export function createRouter(): OpenAPIHono<PartnerEnv> {
  return new OpenAPIHono<PartnerEnv>({ strict: false, defaultHook: answerValidationErrors });
}
