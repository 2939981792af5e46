// Loads a resource of the page after `wait` milliseconds. The page is not loaded before it is: a document in a frame that
// is left open holds the load event back, where a timer or a fetch alone would not.
function bentpipe(kind, url, wait) {
  var frame = document.createElement("iframe");
  frame.hidden = true;
  document.documentElement.appendChild(frame);
  frame.contentDocument.open();
  function done() { frame.contentDocument.close(); }
  function append(name, attributes) {
    var element = Object.assign(document.createElement(name), attributes);
    element.onload = element.onerror = done;
    document.head.appendChild(element);
  }
  setTimeout(function () {
    if (kind === "image") {
      var image = new Image();
      image.onload = image.onerror = done;
      image.src = url;
    } else if (kind === "script") {
      append("script", { src: url });
    } else if (kind === "style") {
      append("link", { rel: "stylesheet", href: url });
    } else if (kind === "font") {
      new FontFace("bentpipe", "url(\"" + url + "\")").load().then(done, done);
    } else {
      fetch(url).then(function (answer) { return answer.arrayBuffer(); }).then(done, done);
    }
  }, wait);
}
