/** Renders the pages of a contact as texts. The routes use JSX only through this file. */
import { render, type Viewer } from '../frame/layout.tsx';
import { type ContactContent, ContactPage } from './contact-page.tsx';
import { type ErasureContent, ErasurePage } from './erasure-page.tsx';
import { type IntendedContent, IntendedPage } from './intended-page.tsx';
import { type SearchContent, SearchPage } from './search-page.tsx';

export function renderContact(viewer: Viewer, content: ContactContent) {
  return render(<ContactPage content={content} viewer={viewer} />);
}

/** Renders the effect of one of the buttons, before it is pressed. */
export function renderIntended(viewer: Viewer, content: IntendedContent) {
  return render(<IntendedPage content={content} viewer={viewer} />);
}

/** What an erasure would remove, before the button that erases. */
export function renderErasure(viewer: Viewer, content: ErasureContent) {
  return render(<ErasurePage content={content} viewer={viewer} />);
}

/** The search by name, with the results if there was a search. */
export function renderSearch(viewer: Viewer, content: SearchContent) {
  return render(<SearchPage content={content} viewer={viewer} />);
}
