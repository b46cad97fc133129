import type { DroppedPreview } from '../../../clients/setup/dropped-file.ts';
import { findOptions } from '../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { formatCount } from '../../../core/quantities.ts';
import { Fact, Icon, Status } from '../frame/parts.tsx';
import { CONNECTABLE, getApp } from './forms.ts';
import { Choice, Field } from './parts.tsx';
import type { StepPageView, StepView } from './steps.ts';

/** Explains where an administrator of the CRM finds the required values. */
const HOW_TO: Readonly<Record<'salesforce' | 'hubspot', readonly string[]>> = {
  salesforce: [
    'In Salesforce: Setup → External Client App Manager → New External Client App.',
    'Enable OAuth, and enter the callback URL below.',
    'Scopes: “Manage user data via APIs (api)” and “Perform requests at any time (refresh_token, offline_access)”.',
    'For client credentials also: Enable Client Credentials Flow, and under Policies → Run As choose the integration user.',
    'Create it. Settings → OAuth Settings → Consumer Key and Secret: the key is the client id.',
  ],
  hubspot: [
    'In HubSpot: Development → Projects: create a project with an app that signs in with OAuth.',
    'Enter the redirect URL below, and the scopes that the guide “HubSpot: the key or the app” lists.',
    "The app's Auth tab shows the client ID and the client secret.",
  ],
};

export function CrmStep({ page, view }: { page: StepPageView; view: StepView['crm'] }) {
  const { setup } = page;
  const isConnected = setup.done.includes('crm');
  const kind = setup.answers.crm?.kind;
  return (
    <>
      {isConnected && (
        <div class="reached row">
          <Status kind="well" word={connectedWords(setup)} />
          <a class="button primary" href={`/setup/${setup.id}/key`}>
            Continue
          </a>
        </div>
      )}
      {isConnected && <p class="quiet">Or choose another source, which replaces this one:</p>}
      <div class="doors">
        {setup.isNew || kind === 'salesforce' ? (
          <ConnectDoor page={page} kind="salesforce" />
        ) : null}
        {setup.isNew || kind === 'hubspot' ? <ConnectDoor page={page} kind="hubspot" /> : null}
        {setup.isNew || kind === 'csv' ? <FileDoor page={page} view={view} /> : null}
      </div>
    </>
  );
}

function connectedWords({ account, fileName, answers }: StepPageView['setup']): string {
  if (answers.crm?.kind === 'csv') return fileName === null ? 'A CSV file' : `The file ${fileName}`;
  return account === null ? 'Connected' : `Connected to ${account}`;
}

function ConnectDoor({ page, kind }: { page: StepPageView; kind: 'salesforce' | 'hubspot' }) {
  const { setup, apps, callbacks } = page;
  const { name, url: usual } = CONNECTABLE[kind];
  const own = apps[kind];
  const before = getApp(setup);
  const isBefore = before.kind === kind;
  const url = isBefore ? before.url : (own?.url ?? usual);
  const isKept = isBefore && before.clientSecret !== undefined;
  return (
    <form class="door" method="post" action={`/setup/${setup.id}/crm`}>
      <h2>{name}</h2>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="version" value={String(setup.version)} />
      {own === null && (
        <>
          <Field
            name="clientId"
            id={`${kind}-client`}
            label="The app's client ID"
            value={isBefore ? before.clientId : null}
            isNeeded={kind === 'salesforce'}
          />
          <Field
            name="clientSecret"
            id={`${kind}-secret`}
            label="Client secret"
            type="password"
            hint={
              isKept ? 'Entered. Leave this empty, unless the address or the app changes.' : null
            }
          />
          {kind === 'salesforce' && (
            <Choice
              name="way"
              label={QUESTIONS.signIn.label}
              value={isBefore && before.isByCredentials ? 'clientCredentials' : 'oauth'}
              options={findOptions(QUESTIONS.signIn, ['oauth', 'clientCredentials'])}
              hint={QUESTIONS.signIn.hint}
            />
          )}
          <details class="how">
            <summary>How to get these</summary>
            <ol>
              {HOW_TO[kind].map((step) => (
                <li>{step}</li>
              ))}
            </ol>
            <p>
              Callback URL: <code>{callbacks[kind]}</code>
            </p>
          </details>
        </>
      )}
      {kind === 'salesforce' ? (
        <Field
          name="url"
          id={`${kind}-url`}
          label={QUESTIONS.salesforceAddress.label}
          type="url"
          value={url ?? null}
          hint={QUESTIONS.salesforceAddress.hint}
        />
      ) : (
        <details class="how">
          <summary>A service key instead, or another address</summary>
          <Field
            name="token"
            id="hubspot-token"
            label="Service key"
            type="password"
            placeholder="pat-…"
            hint="Development → Keys → Service keys. Then leave the fields above empty."
          />
          <Field
            name="url"
            id={`${kind}-url`}
            label={QUESTIONS.hubspotAddress.label}
            type="url"
            value={url ?? null}
          />
        </details>
      )}
      <button type="submit" class="button primary">
        Connect {name}
      </button>
    </form>
  );
}

function FileDoor({ page: { setup }, view }: { page: StepPageView; view: StepView['crm'] }) {
  return (
    <form
      class="door"
      method="post"
      action={`/setup/${setup.id}/file`}
      enctype="multipart/form-data"
      data-file-form
    >
      <h2>A CSV file or workbook</h2>
      {view.takesFiles ? (
        <>
          <p class="quiet">
            An export from any other CRM, as CSV or .xlsx, up to 20 MB. You get the results as a CSV
            file.
          </p>
          <div class="drop" data-drop>
            <label for="file">Choose a file, or drop it here</label>
            <input
              id="file"
              name="file"
              type="file"
              accept=".csv,.txt,.tsv,.xlsx,text/csv"
              required
            />
          </div>
          <div data-preview={`/setup/${setup.id}/preview`} aria-live="polite"></div>
          <Field
            name="sheet"
            label="Sheet, if it is a workbook"
            value={null}
            placeholder="the first sheet with a table"
          />
          <button type="submit" class="button primary">
            Use this file
          </button>
        </>
      ) : (
        <p>
          Several machines share this service, so a file cannot be dropped here. Ask their
          administrator to name the file in <code>donor-sync.yaml</code>.
        </p>
      )}
    </form>
  );
}

/** The first part of a file, before the file is uploaded. */
export function FilePreview({ of }: { of: DroppedPreview }) {
  if (of === 'workbook') {
    return <p class="hint">This is a workbook. Its first rows are shown once you use it.</p>;
  }
  if ('problem' in of) return <p class="hint bad">{of.problem}</p>;
  return (
    <section class="preview" tabindex={0} aria-label="The first rows of the file">
      <table>
        <thead>
          <tr>
            {of.columns.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.rows.map((row) => (
            <tr>
              {row.map((value) => (
                <td>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function KeyStep({ page, view }: { page: StepPageView; view: StepView['key'] }) {
  const { setup, serviceUrl } = page;
  const { partner } = setup.answers;
  const { balances } = view;
  return (
    <>
      <p class="quiet">
        Paste the key that the Partner Data Service gave you. Testing the key is free. It is stored
        encrypted, and no page shows it again.
      </p>
      {balances !== null && (
        <div class="reached">
          <Status kind="well" word="The service knows this key" />
          <dl class="facts">
            <Fact name="Credits for enhancements">{formatCount(balances.enhancements)}</Fact>
            <Fact name="Credits for networks">{formatCount(balances.networks)}</Fact>
          </dl>
          <a class="button primary" href={`/setup/${setup.id}/people`}>
            Continue
          </a>
        </div>
      )}
      <form class="stack" method="post" action={`/setup/${setup.id}/key`}>
        <input type="hidden" name="version" value={String(setup.version)} />
        <Field
          name="baseUrl"
          label={QUESTIONS.serviceAddress.label}
          type="url"
          value={partner?.baseUrl ?? serviceUrl}
          placeholder="https://…/v1/partners"
          isNeeded
        />
        <Field
          name="apiKey"
          label={partner === undefined ? QUESTIONS.serviceKey.label : 'Another key'}
          type="password"
          hint={
            partner === undefined ? null : 'Entered. Leave this empty, unless the address changes.'
          }
          isNeeded={partner === undefined}
        />
        <div class="onward row">
          <a class="button" href={`/setup/${setup.id}/crm`}>
            ← Back
          </a>
          <button
            type="submit"
            class={balances === null ? 'button primary' : 'button'}
            name="do"
            value="test"
          >
            Test the key
          </button>
        </div>
      </form>
      {balances !== null && balances.enhancements === 0 && (
        <p class="row">
          <Icon kind="attention" /> There are no credits for enhancements on this key.
        </p>
      )}
    </>
  );
}
