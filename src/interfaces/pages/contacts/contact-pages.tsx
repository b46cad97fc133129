/** Renders the pages of a contact as strings. The routes use JSX only through this file. */
import { render, type Viewer } from '../frame/layout.tsx';
import { ContactFrame } from './contact-frame.tsx';
import { type ContactContent, ContactPage } from './contact-page.tsx';
import { type ErasureContent, ErasurePage } from './erasure-page.tsx';
import { type IntendedContent, IntendedPage } from './intended-page.tsx';
import { type SearchContent, SearchPage } from './search-page.tsx';

type FrameContent = Pick<IntendedContent, 'client' | 'crmId'>;

export function renderContact(viewer: Viewer, content: ContactContent) {
  return render(<ContactPage content={content} viewer={viewer} />);
}

/** Renders the page without the contact's data. An open page keeps what it shows. */
export function renderContactFrame(viewer: Viewer, { client, crmId }: FrameContent) {
  return render(
    <ContactFrame
      client={client}
      crmId={crmId}
      viewer={viewer}
      title={`Contact ${crmId}`}
      heading={crmId}
    />,
  );
}

/** Renders the effect of a button, which the user then confirms. */
export function renderIntended(viewer: Viewer, content: IntendedContent) {
  return render(<IntendedPage content={content} viewer={viewer} />);
}

export function renderErasure(viewer: Viewer, content: ErasureContent) {
  return render(<ErasurePage content={content} viewer={viewer} />);
}

export function renderSearch(viewer: Viewer, content: SearchContent) {
  return render(<SearchPage content={content} viewer={viewer} />);
}
