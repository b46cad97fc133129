/** Creates the router for each area of the service. */

import { OpenAPIHono } from '@hono/zod-openapi';
import type { PartnerEnv } from './context.ts';
import { answerValidationErrors } from './validation.ts';

/** Creates a router that validates requests as described in section 2.8 of the service document. */
export function createRouter(): OpenAPIHono<PartnerEnv> {
  return new OpenAPIHono<PartnerEnv>({ strict: false, defaultHook: answerValidationErrors });
}
