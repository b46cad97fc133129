/** The set-up of a client, step by step. Each step of the set-up is a separate page that works without scripts. */
import type { Hono } from 'hono';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { addFileRoutes } from './file-routes.ts';
import { createWizardContext } from './set-up-context.ts';
import { addStartRoutes } from './start-routes.ts';
import { addStepRoutes } from './step-routes.ts';

export function wizardRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const app = frame.room();
  const context = createWizardContext(deps, frame);
  addStartRoutes(app, context);
  addFileRoutes(app, context);
  // This route comes last, because its path accepts any word as a step.
  addStepRoutes(app, context);
  return app;
}
