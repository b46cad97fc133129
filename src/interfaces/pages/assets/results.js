/** Shows the button that opens the browser's print dialog. */
'use strict';

{
  const button = document.getElementById('print');
  if (button instanceof HTMLButtonElement) {
    button.hidden = false;
    button.addEventListener('click', () => window.print());
  }
}
