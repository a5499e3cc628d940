export default {
  title: 'Packed sequences',
  url: 'http://127.0.0.1',
  baseUrl: '/docusaurus/out/',
  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false, pages: false }]],
  themeConfig: { colorMode: { respectPrefersColorScheme: true } },
  scripts: [{ src: '/docusaurus/out/packscope/packscope-view.js', type: 'module' }],
};
