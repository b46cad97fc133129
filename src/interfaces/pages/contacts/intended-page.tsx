import type { Integration } from '../../../core/integration-settings.ts';
import type { Viewer } from '../frame/layout.tsx';
import { ContactFrame } from './contact-frame.tsx';
import { contactHref } from './contact-href.ts';

export interface Intended {
  title: string;
  /** Complete sentences about the effects, the cost and the obstacles. */
  texts: readonly string[];
  /** The confirmation form, or null if there is nothing to do. */
  form: {
    /** The last part of the form's address. */
    action: string;
    button: string;
    fields: Readonly<Record<string, string>>;
  } | null;
}

export interface IntendedContent {
  client: Pick<Integration, 'id' | 'name'>;
  crmId: string;
  intended: Intended;
}

export function IntendedPage({ content, viewer }: { content: IntendedContent; viewer: Viewer }) {
  const { client, crmId, intended } = content;
  const { title, texts, form } = intended;
  const page = contactHref(client.id, crmId);
  return (
    <ContactFrame
      client={client}
      crmId={crmId}
      viewer={viewer}
      title={`${title}: contact ${crmId}`}
      heading={title}
      isBelow
    >
      <section class="card" aria-labelledby="intended-title">
        <h2 id="intended-title">Contact {crmId}</h2>
        {texts.map((text) => (
          <p>{text}</p>
        ))}
        <div class="row actions">
          {form !== null && (
            <form method="post" action={`${page}/${form.action}`}>
              {Object.entries(form.fields).map(([name, value]) => (
                <input type="hidden" name={name} value={value} />
              ))}
              <button type="submit" class="button primary">
                {form.button}
              </button>
            </form>
          )}
          <a class="button" href={page}>
            {form === null ? 'Back' : 'Cancel'}
          </a>
        </div>
      </section>
    </ContactFrame>
  );
}
