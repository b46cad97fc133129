/** Renders the set-up pages as strings. The routes use JSX only through this file. */

import type { DroppedPreview } from '../../../clients/setup/dropped-file.ts';
import { hideSecrets, toYaml } from '../../../clients/shown-settings.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, render, renderPart, type Viewer } from '../frame/layout.tsx';
import { clientHref } from '../home/client-href.ts';
import { FilePreview } from './connect-steps.tsx';
import { StartPage, type StartView } from './start-page.tsx';
import { StepPage } from './step-page.tsx';
import type { StepPageView } from './steps.ts';

export function renderStart(viewer: Viewer, view: StartView) {
  return render(<StartPage viewer={viewer} view={view} />);
}

export function renderStep(viewer: Viewer, view: StepPageView) {
  return render(<StepPage viewer={viewer} view={view} />);
}

/** Renders the content that is inserted into the file step. */
export function renderPreview(preview: DroppedPreview) {
  return renderPart(<FilePreview of={preview} />);
}

/** Renders a page that redirects to a CRM automatically. */
export function renderLeave(viewer: Viewer, { crm, href }: { crm: string; href: string }) {
  return render(
    <Layout title={`To ${crm}`} viewer={viewer} area="setup" goesTo={href}>
      <section class="card">
        <h1>You are on your way to {crm}</h1>
        <p class="actions">
          {crm} asks whether donor-sync may read your contacts and write to them. Then it brings you
          back here.
        </p>
        <p>
          <a class="button primary" href={href}>
            Go to {crm}
          </a>
        </p>
      </section>
    </Layout>,
  );
}

export interface PresentView {
  integration: Integration;
  /** True if the integration is in the settings file. Users can then change it only in this file. */
  isOfFile: boolean;
  hasResults: boolean;
  note: string | null;
}

/** Renders an existing integration and the ways to change it. */
export function renderPresent(viewer: Viewer, view: PresentView) {
  const { integration, isOfFile, hasResults, note } = view;
  const { id, name = id } = integration;
  return render(
    <Layout
      title={`Settings of ${name}`}
      viewer={viewer}
      area="setup"
      note={note}
      client={id}
      assets={['setupStyles']}
    >
      <p class="crumbs">
        <a href="/setup">Set-up</a> <span aria-hidden="true">/</span>{' '}
        <a href={clientHref(id)}>{name}</a>
      </p>
      <ClientSides client={{ id, name }} side="setup" viewer={viewer} />
      <section class="card" aria-labelledby="present-title">
        <h1 id="present-title">Settings of {name}</h1>
        {isOfFile ? (
          <p class="actions">
            This client is in <code>donor-sync.yaml</code>, so the administrator of this machine
            changes it there.
          </p>
        ) : (
          <form class="row actions" method="post" action={`/setup/${id}/change`}>
            <button type="submit" class="button primary">
              Change the settings
            </button>
            {hasResults && (
              <a class="button" href={`/setup/${id}/results`}>
                Download the results (CSV)
              </a>
            )}
          </form>
        )}
        <pre class="yaml" tabindex={0}>
          <code>{toYaml({ integrations: [hideSecrets(integration).settings] }).trimEnd()}</code>
        </pre>
      </section>
    </Layout>,
  );
}
