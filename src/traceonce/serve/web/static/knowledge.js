/** Browsing the records: results as you type, arrow keys to walk through them. */

import { Region } from './fetching.js';
import { searchAsYouType, walkWithArrows } from './live_search.js';

const results = new Region('results');

searchAsYouType(document.getElementById('filter'), results);
walkWithArrows(document.getElementById('search'), results, '.hit');
