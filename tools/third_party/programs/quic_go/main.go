// HTTP/3 by quic-go, an implementation that shares no code with ours.
//
//	quic_go get URL...               fetches all URLs at once over one connection, then the first in early data of a
//	                                 second one; prints a line `status length` for each, and `resumed early` at last
//	quic_go serve ADDRESS SITE CERTIFICATE KEY
//	                                 serves what the JSON document SITE names
//
// Who is trusted says SSL_CERT_FILE.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

func main() {
	var err error
	switch {
	case len(os.Args) > 2 && os.Args[1] == "get":
		err = get(os.Args[2:])
	case len(os.Args) == 6 && os.Args[1] == "serve":
		err = serve(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	default:
		err = fmt.Errorf("quic_go get URL..., or serve ADDRESS SITE CERTIFICATE KEY")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// client fetches over connections that know of each other by their session tickets alone.
type client struct {
	cache      tls.ClientSessionCache
	connection *quic.Conn
}

func get(urls []string) error {
	it := client{cache: tls.NewLRUClientSessionCache(8)}
	lines := make([]string, len(urls))
	errs := make([]error, len(urls))
	first := it.transport()
	var all sync.WaitGroup
	for i, url := range urls {
		all.Go(func() { lines[i], errs[i] = fetched(first, http.MethodGet, url) })
	}
	all.Wait()
	for i := range urls {
		if errs[i] != nil {
			return errs[i]
		}
		fmt.Println(lines[i])
	}
	if err := first.Close(); err != nil {
		return err
	}
	again := it.transport()
	defer again.Close()
	if _, err := fetched(again, http3.MethodGet0RTT, urls[0]); err != nil {
		return err
	}
	state := it.connection.ConnectionState()
	fmt.Println(state.TLS.DidResume, state.Used0RTT)
	return nil
}

func (it *client) transport() *http3.Transport {
	return &http3.Transport{
		TLSClientConfig: &tls.Config{ClientSessionCache: it.cache},
		Dial: func(ctx context.Context, address string, settings *tls.Config, config *quic.Config) (*quic.Conn, error) {
			connection, err := quic.DialAddrEarly(ctx, address, settings, config)
			it.connection = connection
			return connection, err
		},
	}
}

func fetched(transport *http3.Transport, method, url string) (string, error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return "", err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	length, err := io.Copy(io.Discard, response.Body)
	return fmt.Sprint(response.StatusCode, " ", length), err
}

// file is one resource of a site.
type file struct {
	Host, Target, Type, Path string
}

func serve(address, site, certificate, key string) error {
	text, err := os.ReadFile(site)
	if err != nil {
		return err
	}
	var files []file
	if err := json.Unmarshal(text, &files); err != nil {
		return err
	}
	byTarget := map[string]file{}
	for _, each := range files {
		byTarget[each.Host+each.Target] = each
	}
	handler := func(writer http.ResponseWriter, request *http.Request) {
		found, isThere := byTarget[request.Host+request.URL.RequestURI()]
		if !isThere {
			http.NotFound(writer, request)
			return
		}
		body, err := os.ReadFile(found.Path)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusInternalServerError)
			return
		}
		writer.Header().Set("Content-Type", found.Type)
		writer.Write(body)
	}
	server := http3.Server{Addr: address, Handler: http.HandlerFunc(handler)}
	return server.ListenAndServeTLS(certificate, key)
}
